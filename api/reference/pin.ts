import { z } from 'zod';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { ReferenceAudits } from '../../reference/stores/reference-audits.js';
import { readJson } from '../http/exact-json.js';
import { toResource } from './dataset.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceContext, ReferenceStep } from './state.js';

const Pin = z.strictObject(
  { version: z.bigint('must be a dataset version'), reason: z.string('must be text').min(1).max(500) },
  'must be an object with version and reason',
);
const LIMIT_BYTES = 4 * 1_024;
/** Each process drops old versions by itself: one that this process drops soon may be gone in another. */
const MARGIN = 50;

/** `POST /v2/datasets/{name}/pin` and `/unpin`: reads go back to a kept version, and forward again. */
export function createPinRoutes({ datasets, audits }: { datasets: Datasets; audits: ReferenceAudits }) {
  function send(ctx: ReferenceContext): void {
    const { dataset, declaration } = datasets.get(ctx.params.name ?? '');
    ctx.body = toResource(dataset, declaration, audits.last(dataset.name));
  }

  const pin: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { dataset } = datasets.get(ctx.params.name ?? '');
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const { version: asked, reason } = parse(given);
    const version = Number(asked);
    const { replica, follower } = dataset;
    await follower.catchUp();
    if (version < 1 || version > replica.newest) {
      throw new SlipwayError(
        'version.not_retained',
        `version ${version} does not exist: send one from 1 to ${replica.newest}`,
      );
    }
    const oldest = replica.keptFrom === 0 ? 1 : replica.keptFrom + MARGIN;
    const entry = version < oldest ? undefined : await dataset.log.read(version);
    if (entry === undefined) {
      throw new SlipwayError(
        'version.not_retained',
        `version ${version} is not kept any more: send ${oldest} or later`,
      );
    }
    const { actor } = ctx.state.client;
    await follower.append(() => ({ kind: 'pin', version, asOf: entry.at, reason, actor }));
    send(ctx);
  };

  const unpin: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { replica, follower } = datasets.get(ctx.params.name ?? '').dataset;
    await follower.catchUp();
    const { actor } = ctx.state.client;
    await follower.append(() => (replica.pin === undefined ? undefined : { kind: 'unpin', actor }));
    send(ctx);
  };

  return { pin, unpin };
}

/** @throws body.malformed */
function parse(given: unknown): z.infer<typeof Pin> {
  const result = Pin.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new SlipwayError('body.malformed', `${issue?.path.join('.') || 'the body'} ${issue?.message ?? ''}`);
}
