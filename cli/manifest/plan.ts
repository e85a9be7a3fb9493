import { isDeepStrictEqual } from 'node:util';
import type { Entity, Slipway } from '../../client/index.js';
import type { ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import { maskSecrets } from '../../lifecycle/kinds/connection-secrets.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ManifestDocument } from './document.js';
import { JUDGES } from './judges.js';
import { createJudging } from './judging.js';
import { refuse } from './manifests.js';

/** What would become of one document. */
export interface Planned {
  document: ManifestDocument;
  /** What is there now. */
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
  const judging = await createJudging(slipway, documents, signal);
  const planned: Planned[] = [];
  const problems: string[] = [];
  for (const document of documents) {
    const current = await slipway.entities(document.kind).find(document.id, { signal });
    const { issues, spec } = await judgeDocument(document, judging, current);
    for (const { path, message } of issues) problems.push(`${document.at(path)}: ${message}`);
    const desired = asStored(spec);
    const isSame = current !== undefined && isDeepStrictEqual(asStored(current.spec), desired);
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

async function judgeDocument(
  { kind, body }: ManifestDocument,
  judging: ValidationContext,
  current: Entity | undefined,
) {
  const judge = JUDGES[kind];
  // Of a kind that only the server can read, what the document says is compared, and what it does not say left alone.
  if (judge === undefined) return { issues: [], spec: overlaid(current?.spec ?? {}, body.spec) as object };
  const { issues, spec } = await judge.validate(body, judging, current?.spec);
  return { issues, spec: kind === 'Connection' ? maskSecrets(spec as ConnectionSpec) : spec };
}

function overlaid(base: unknown, change: unknown): unknown {
  if (!isRecord(base) || !isRecord(change)) return change;
  return {
    ...base,
    ...Object.fromEntries(Object.entries(change).map(([key, value]) => [key, overlaid(base[key], value)])),
  };
}

/** What is left of a value in JSON: no field is `undefined`. */
const asStored = (spec: object): Record<string, unknown> => JSON.parse(JSON.stringify(spec)) as Record<string, unknown>;
