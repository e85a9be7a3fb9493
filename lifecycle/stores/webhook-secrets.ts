import type { Pipeline } from '../kinds/pipeline.js';
import type { SecretBox } from '../../platform/stores/secrets.js';

type Deriving = Pick<SecretBox, 'derive'>;

const purpose = (what: string, { uid, spec }: Pipeline): string =>
  `pipeline ${what} ${uid} ${spec.triggers.webhook.secretVersion}`;

/** Secrets that messages to a pipeline may be signed with: that of the present key first. Derived, so never stored. */
export const triggerSecrets = (box: Deriving, pipeline: Pipeline): Buffer[] => box.derive(purpose('webhook', pipeline));

/** The same for what a pipeline tells; another secret, so that its own notices cannot start it. */
export const noticeSecrets = (box: Deriving, pipeline: Pipeline): Buffer[] => box.derive(purpose('notice', pipeline));

/** As Standard Webhooks writes a secret. */
export const secretText = (secret: Buffer | undefined): string =>
  `whsec_${(secret ?? Buffer.alloc(0)).toString('base64')}`;
