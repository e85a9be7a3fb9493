import type { ConnectionSpec } from './connection.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import { maskSecrets } from './connection-secrets.js';

/** What a client sees of an entity. */
export interface Reply {
  kind: string;
  id: string;
  createdAt: string;
  updatedAt: string;
  spec: object;
  status: object;
  default?: true;
  deletionMark?: true;
  generation: number;
  createdBy: string;
  updatedBy: string;
}

/**
 * What a client sees: `kind` first, marks only when they are set, secrets masked, never what only the platform needs.
 * @param secrets `shown` for the one endpoint that hands them out
 */
export function toReply(entity: AnyResource, { secrets = 'masked' }: { secrets?: 'masked' | 'shown' } = {}): Reply {
  const { kind, id, createdAt, updatedAt, status, generation, createdBy, updatedBy } = entity;
  const hidden = kind === 'Connection' && secrets === 'masked';
  return {
    ...{ kind, id, createdAt, updatedAt },
    spec: hidden ? maskSecrets(entity.spec as ConnectionSpec) : entity.spec, // `kind` says which spec it is
    status,
    ...(entity.default ? { default: true } : {}),
    ...(entity.deletionMark ? { deletionMark: true } : {}),
    ...{ generation, createdBy, updatedBy },
  };
}
