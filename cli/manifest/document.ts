import type { WritableKind } from '../../client/index.js';

/** An entity as a manifest describes it, known to have a kind, an id and a spec of the right shape. */
export interface ManifestDocument {
  kind: WritableKind;
  id: string;
  /** As it is sent. */
  body: { kind: WritableKind; id: string; spec: Record<string, unknown> };
  /** `file:line`. */
  where: string;
  /** `file:line` of a field by its dotted path. */
  at: (path: string) => string;
}
