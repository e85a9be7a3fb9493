import createHttp from 'openapi-fetch';
import { clientCredentials, fixedToken } from './auth.js';
import type { TokenCache, TokenSource } from './auth.js';
import { discoverTokenEndpoint } from './discovery.js';
import { createEntities } from './entities.js';
import { SlipwayApiError } from './errors.js';
import type { Entities } from './entities.js';
import { createInference } from './inference.js';
import { KIND_PATHS } from './kinds.js';
import type { Entity, Kind, LogKind, RunKind, WritableKind } from './kinds.js';
import { readLog } from './log.js';
import { openLogSource } from './log-source.js';
import type { LogOf } from './log-source.js';
import type { LogOptions } from './log.js';
import type { paths } from './openapi.js';
import { createPipelineRuns, createSchedules } from './pipelines.js';
import type { Reader } from './reader.js';
import { createReferenceEntities } from './reference-entities.js';
import { isReferenceKind } from './reference-kinds.js';
import { createTransport } from './transport.js';
import type { TransportOptions } from './transport.js';
import { waitFor } from './wait.js';
import type { WaitOptions } from './wait.js';

/** The credentials: a client of the OpenID issuer, or a token. */
export type Credentials =
  | {
      clientId: string;
      clientSecret: string;
      scope?: string;
      /** By default the server's OpenAPI document names it. */
      tokenEndpoint?: string;
      cache?: TokenCache;
    }
  | { token: string };

export interface SlipwayOptions extends Omit<TransportOptions, 'tokens' | 'fetch'> {
  /** Address of the front door, such as `http://127.0.0.1:8080`. */
  server: string;
  credentials: Credentials;
  fetch?: typeof globalThis.fetch;
}

/** Everything a Slipway server does, typed by its OpenAPI document. Failures are thrown as SlipwayApiError. */
export function createSlipway(options: SlipwayOptions) {
  const server = options.server.replace(/\/+$/, '');
  const fetch = options.fetch ?? globalThis.fetch;
  const send = createTransport({ ...options, fetch, tokens: tokensOf(options.credentials, { server, fetch }) });
  const http = createHttp<paths>({ baseUrl: server, fetch: send });

  const entities = <K extends WritableKind>(kind: K): Entities<K> =>
    // The comparison says which kind it is; TypeScript cannot conclude that for `K`.
    (isReferenceKind(kind)
      ? createReferenceEntities(http, kind)
      : createEntities(http, kind)) as unknown as Entities<K>;

  const runs = createPipelineRuns(http);
  const reader = <K extends Kind>(kind: K): Reader<K> =>
    // The comparison says which kind it is; TypeScript cannot conclude that for `K`.
    kind === 'PipelineRun' ? (runs as unknown as Reader<K>) : (entities(kind) as unknown as Reader<K>);

  // Trainings and packagings have the same actions, so the paths of one stand for both.
  const runPath = (kind: RunKind) => KIND_PATHS[kind] as '/api/v1/model/training';

  const act =
    (action: 'cancel' | 'rerun') =>
    async <K extends RunKind>(kind: K, id: string, { signal }: { signal?: AbortSignal } = {}): Promise<Entity<K>> => {
      const { data } = await http.POST(`${runPath(kind)}/{id}/${action}`, { params: { path: { id } }, signal });
      return data as Entity<K>;
    };

  return {
    server,
    /** Any operation by its path, with types: `http.GET('/api/v1/user/info')`. */
    http,
    entities,
    /** Reads that every kind supports, pipeline runs included. */
    reader,
    /** Runs of pipelines. */
    runs,
    /** Schedules of pipelines. */
    schedules: createSchedules(http),
    /** The run ends as failed with reason `Cancelled`. @throws already_finished */
    cancel: act('cancel'),
    /** Runs it again as it is. @throws not_finished */
    rerun: act('rerun'),
    /** @returns the entity once it has succeeded or failed. @throws timeout, not_found */
    wait: <K extends Kind>(kind: K, id: string, more?: WaitOptions<K>) => waitFor(reader(kind), id, more),
    /** The lines of a log as they come, over breaks of the connection. @throws not_found, not_started */
    async *log(
      kind: LogKind,
      id: string,
      more: LogOptions & Pick<LogOf, 'replica' | 'previous'> = {},
    ): AsyncGenerator<string> {
      yield* readLog(await openLogSource(http, { kind, id, ...more }), more);
    },
    ...createInference({ server, send }),
  };
}
export type Slipway = ReturnType<typeof createSlipway>;

/** @throws validation_failed, as JavaScript may leave them out */
function tokensOf(
  credentials: Credentials | undefined,
  where: { server: string; fetch: typeof globalThis.fetch },
): TokenSource {
  if (credentials === undefined)
    throw new SlipwayApiError('validation_failed', 'credentials are missing: { clientId, clientSecret } or { token }');
  if ('token' in credentials) return fixedToken(credentials.token);
  const { tokenEndpoint = () => discoverTokenEndpoint(where), ...rest } = credentials;
  return clientCredentials({ ...rest, tokenEndpoint, fetch: where.fetch });
}
