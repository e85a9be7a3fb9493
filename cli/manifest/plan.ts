import { isDeepStrictEqual } from 'node:util';
import type { Entity, Slipway } from '../../client/index.js';
import type { ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import { MASK, maskSecrets } from '../../lifecycle/kinds/connection-secrets.js';
import type { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import type { Issue } from '../../platform/kinds/errors.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import { drawsId } from '../kinds.js';
import type { ManifestDocument } from './document.js';
import { VALIDATORS } from './validators.js';
import { createValidationContext } from './validation-context.js';
import { refuse } from './manifests.js';

/** The planned action for one document. */
export interface Planned {
  document: ManifestDocument;
  /** The present state on the server. */
  current: Entity | undefined;
  /** The spec as the server would store it, with every default; secrets masked. */
  desired: Record<string, unknown>;
  change: 'created' | 'updated' | 'unchanged';
}

/**
 * Compares documents with what the server has; nothing is written.
 * @throws validation_failed with everything that the server would refuse
 */
export async function makePlan(
  slipway: Slipway,
  documents: readonly ManifestDocument[],
  signal: AbortSignal,
): Promise<Planned[]> {
  const context = await createValidationContext(slipway, documents, signal);
  const planned: Planned[] = [];
  const problems: string[] = [];
  for (const document of documents) {
    const current = await findCurrent(slipway, document, signal);
    const { issues, spec, isHidden } = await validateDocument(document, context, current);
    for (const { path, message } of issues) problems.push(`${document.at(path)}: ${message}`);
    const desired = asStored(spec);
    // A job is never changed: the document of one that exists asks for nothing.
    const isSame =
      current !== undefined &&
      (drawsId(document.kind) || (!isHidden && isDeepStrictEqual(asStored(current.spec), desired)));
    planned.push({
      document,
      current,
      desired,
      change: current === undefined ? 'created' : isSame ? 'unchanged' : 'updated',
    });
  }
  refuse(problems);
  return planned;
}

const findCurrent = async (
  slipway: Slipway,
  { kind, id }: ManifestDocument,
  signal: AbortSignal,
): Promise<Entity | undefined> => (id === '' ? undefined : slipway.entities(kind).find(id, { signal }));

async function validateDocument(
  { kind, body }: ManifestDocument,
  context: ValidationContext,
  current: Entity | undefined,
): Promise<{ issues: readonly Issue[]; spec: object; isHidden?: boolean }> {
  const { issues, spec } = await VALIDATORS[kind].validate(body, context, current?.spec);
  if (kind === 'Connection') return { issues, spec: maskSecrets(spec as ConnectionSpec) };
  if (kind !== 'Subscription' || issues.length > 0) return { issues, spec };
  const { headers } = spec as SubscriptionSpec;
  const masked = Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]));
  // The server shows no value, so a value that is given may be another.
  return { issues, spec: { ...spec, headers: masked }, isHidden: Object.values(headers).some((each) => each !== MASK) };
}

/** Converts a value as JSON does: no field is `undefined`. */
const asStored = (spec: object): Record<string, unknown> => JSON.parse(JSON.stringify(spec)) as Record<string, unknown>;
