import type { Client } from 'openapi-fetch';
import { createEntities } from './entities.js';
import { KIND_PATHS } from './kinds.js';
import type { LogKind } from './kinds.js';
import type { LogSource } from './log.js';
import type { paths } from './openapi.js';
import { outcomeOf } from './outcome.js';

export interface LogOf {
  kind: LogKind;
  id: string;
  /** One replica of a deployment. */
  replica?: string | undefined;
  /** For a deployment: the replicas of the previous generation. */
  previous?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** The log of a training, a packaging or a deployment. @throws not_found */
export async function openLogSource(
  http: Client<paths>,
  { kind, id, replica, previous, signal }: LogOf,
): Promise<LogSource> {
  const entities = createEntities(http, kind);
  const isDeployment = kind === 'ModelDeployment';
  // A resource that does not exist is an error at the first read; it may be removed later.
  await entities.get(id, { signal });

  return {
    keepsGenerations: isDeployment && !previous,
    async look() {
      const entity = await entities.find(id, { signal });
      return entity && { generation: entity.generation, isOver: !isDeployment && outcomeOf(entity) !== 'pending' };
    },
    async open({ generation, follow }) {
      const which = isDeployment ? { replica, ...(previous ? { previous } : { generation }) } : {};
      // The three have the same log; what only deployments know is not sent to the others.
      const path = `${KIND_PATHS[kind]}/{id}/log` as '/api/v1/model/deployment/{id}/log';
      const query = { follow, heartbeat: false, ...which };
      const { data } = await http.GET(path, { params: { path: { id }, query }, parseAs: 'stream', signal });
      return data ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
    },
  };
}
