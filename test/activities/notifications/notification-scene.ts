import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { createWakeSignal } from '../../../activities/notifications/wake-signal.js';
import {
  createDeliveryAttempts,
  type DeliveryAttemptDeps,
} from '../../../activities/notifications/delivery-attempt.js';
import { drain, type DrainDeps } from '../../../activities/notifications/drain.js';
import { createDueProbe } from '../../../activities/notifications/due-probe.js';
import { createProbe } from '../../../activities/notifications/probe.js';
import { createWebhookSender } from '../../../activities/notifications/webhook-sender.js';
import type { Change, LogEntry } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import {
  type Subscription,
  SubscriptionSpec,
  type SubscriptionStatus,
} from '../../../notifications/kinds/subscription.js';
import { createAttemptLedger } from '../../../notifications/stores/attempts.js';
import { collections } from '../../../platform/stores/collections.js';
import type { Database } from '../../../platform/stores/database.js';
import { createOperatorActions } from '../../../notifications/stores/operator-actions.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createOutbox } from '../../../notifications/stores/outbox.js';
import { createProgressStore } from '../../../notifications/stores/subscription-progress.js';
import { createRecoveries } from '../../../notifications/stores/recoveries.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createEventStream } from '../../../platform/stores/event-stream.js';
import { createStreamLog } from '../../../platform/stores/stream-log.js';
import { createHmacSecret, parseSigningKey } from '../../../notifications/delivery/signing-keys.js';
import { PATIENT } from '../../patient-server.js';

const POSITIONS = DatasetSpec.parse({
  fields: { title: { type: 'text' }, status: { type: 'enum', values: ['Open', 'Filled'] } },
});

/** A request to the receiver. */
export interface Received {
  id: string;
  timestamp: number;
  body: string;
  headers: IncomingMessage['headers'];
}
export type Behavior = (received: Received, response: ServerResponse, before: readonly Received[]) => void;

/**
 * A receiver that keeps what it gets. Requests without an id are not kept: a test of another process may still call a
 * server that had the same port before.
 * @param grant headers of its answer to `OPTIONS`
 */
export async function openReceiver(
  behave: Behavior = (_, response) => void response.end(),
  grant: Record<string, string> = {},
) {
  const received: Received[] = [];
  const server = createServer(PATIENT, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers } = request;
      const got = {
        id: String(headers['webhook-id']),
        timestamp: Number(headers['webhook-timestamp']),
        body: Buffer.concat(chunks).toString(),
        headers,
      };
      if (request.method === 'OPTIONS') return void response.writeHead(200, grant).end();
      if (headers['webhook-id'] === undefined) return void response.writeHead(404).end();
      if (got.id.startsWith('prb_')) return void response.end();
      const before = received.filter(({ id }) => id === got.id);
      received.push(got);
      behave(got, response, before);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return {
    url,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** The names that two processes share to use the same scene. */
export interface SceneNames {
  dataset: string;
  id: string;
  secret: string;
}
const newNames = (): SceneNames => ({
  dataset: `positions_${randomUUID().replaceAll('-', '').slice(0, 8)}`,
  id: `sub_${randomUUID().replaceAll('-', '').slice(0, 16)}`,
  secret: createHmacSecret(),
});

function newSubscription(
  { dataset, id }: Pick<SceneNames, 'dataset' | 'id'>,
  spec: Partial<Record<keyof SubscriptionSpec, unknown>>,
  status: Partial<SubscriptionStatus>,
): Subscription {
  const at = new Date().toISOString();
  return {
    kind: 'Subscription',
    id,
    uid: randomUUID(),
    spec: SubscriptionSpec.parse({ name: 'test', types: [`dataset.${dataset}.*`], ...spec }),
    status: {
      state: 'active',
      reason: null,
      keys: [],
      level: 'L0',
      receipts: 'none',
      checked_at: null,
      starts_at: { [dataset]: { position: 0, index: 0 } },
      declarations: { [dataset]: POSITIONS },
      ...status,
    },
    generation: 1,
    revision: 0,
    createdAt: at,
    updatedAt: at,
    createdBy: 'test',
    updatedBy: 'test',
  };
}

type DrainOptions = Partial<DrainDeps> &
  Partial<Pick<DeliveryAttemptDeps, 'owner' | 'attemptMs' | 'emit'>> & { answerMs?: number };

/** Opens a dataset log, a subscription to it, and drains that deliver. */
export function openScene(
  database: Database = createMemoryDatabase(),
  { dataset, id, secret }: SceneNames = newNames(),
  agent = new Agent(),
) {
  const log = createStreamLog<LogEntry>({ database, collection: collections.streams, stream: dataset });
  const subscriptions = createResources<Subscription>({ database, kind: 'Subscription' });
  const outbox = createOutbox({ database });
  const ledger = createAttemptLedger({ database });
  const progress = createProgressStore({ database });
  const interventions = createOperatorActions({ database });
  const recoveries = createRecoveries({ database });
  const ops = createEventStream({ database, stream: 'ops' });
  const wakeSignal = createWakeSignal();
  const versions = new Map<string, { version: number; body: string | null }>();
  let position = 0;

  async function append(
    content: { kind: 'changes'; changes: Change[] } | { kind: 'hold' | 'release'; import: string },
  ) {
    position += 1;
    await log.insert({ ...content, position, at: new Date().toISOString(), token: randomUUID() });
    wakeSignal.notify();
  }

  function change(entity: string, status: 'Open' | 'Filled' | null): Change {
    const before = versions.get(entity);
    const version = (before?.version ?? 0) + 1;
    const at = new Date().toISOString();
    const row = `{"id":"${entity}","title":"T","status":"${status}","version":${version},"created_at":"${at}","updated_at":"${at}"}`;
    const body = status === null ? null : row;
    const old = before?.body == null ? undefined : /"status":"(\w+)"/.exec(before.body)?.[1];
    versions.set(entity, { version, body });
    const previous = old === undefined ? {} : { previous: `{"status":"${old}"}` };
    return { id: entity, version, at, body, ...previous, actor: 'test', schema: 1, commit: randomUUID() };
  }

  return {
    database,
    id,
    log,
    dataset,
    subscriptions,
    outbox,
    ledger,
    progress,
    interventions,
    recoveries,
    ops,
    secret,
    bell: wakeSignal,
    change,
    append,
    write: (...changes: Change[]) => append({ kind: 'changes', changes }),

    subscribe: (spec: Partial<Record<keyof SubscriptionSpec, unknown>>, status: Partial<SubscriptionStatus> = {}) =>
      subscriptions.insert(newSubscription({ dataset, id }, spec, status)),

    /** Probes the receiver when that is due. */
    probe: () => {
      const sender = createWebhookSender({ dispatcher: agent });
      const probe = createProbe({ sender, userAgent: 'Slipway/test', origin: 'slipway.test' });
      return createDueProbe({
        subscriptions,
        probe,
        keysOf: () => [parseSigningKey(secret)],
        headersOf: ({ spec }) => spec.headers,
      })(id);
    },
    /** Runs one drain until it has no work. */
    drain: (more: DrainOptions = {}) => {
      const { signal = new AbortController().signal, owner = randomUUID(), answerMs, attemptMs, now, emit } = more;
      const sender = createWebhookSender({ dispatcher: agent, ...(answerMs && { answerMs }), ...(now && { now }) });
      const timing = { ...(attemptMs && { attemptMs }), ...(now && { now }), ...(emit && { emit }) };
      return drain(
        {
          subscriptions,
          outbox,
          progress,
          interventions,
          recoveries,
          ledger,
          deliveryAttempts: createDeliveryAttempts({
            ledger,
            sender,
            owner,
            userAgent: 'Slipway/test',
            signal,
            ...timing,
          }),
          streamOf: () => ({ ...log, readOn: (position) => log.read(position) }),
          keysOf: () => [parseSigningKey(secret)],
          headersOf: ({ spec }) => spec.headers,
          baseUrl: 'http://slipway.test',
          wakeSignal: wakeSignal,
          signal,
          idleMs: 50,
          ...more,
        },
        id,
      );
    },
    close: () => agent.destroy(),
  };
}
