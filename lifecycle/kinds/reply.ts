import type { ConnectionSpec } from './connection.js';
import type { AnyResource } from '../../platform/kinds/resource.js';
import { maskSecrets } from './connection-secrets.js';

/** A resource as a client sees it. */
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
 * Converts a resource for a client: `kind` first, marks only when they are set, secrets masked, no internal fields.
 * @param secrets `shown` for the one endpoint that hands them out
 */
export function toReply(resource: AnyResource, { secrets = 'masked' }: { secrets?: 'masked' | 'shown' } = {}): Reply {
  const { kind, id, createdAt, updatedAt, status, generation, createdBy, updatedBy } = resource;
  const hidden = kind === 'Connection' && secrets === 'masked';
  return {
    ...{ kind, id, createdAt, updatedAt },
    spec: hidden ? maskSecrets(resource.spec as ConnectionSpec) : resource.spec, // `kind` says which spec it is
    status,
    ...(resource.default ? { default: true } : {}),
    ...(resource.deletionMark ? { deletionMark: true } : {}),
    ...{ generation, createdBy, updatedBy },
  };
}
