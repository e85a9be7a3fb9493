import { randomUUID } from 'node:crypto';
import type { OutboxBlock } from '../../notifications/kinds/outbox-event.js';
import { type Subscription, SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import { createProgressStore } from '../../notifications/stores/subscription-progress.js';
import { createResources } from '../../notifications/stores/resources.js';
import { entryId } from '../../platform/kinds/log-entry.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';

const ROWS_AT_ONCE = 500;

const body = (n: number): string =>
  JSON.stringify({ specversion: '1.0', id: `evt_${n}`, type: 'dataset.words.updated', data: { word: `word ${n}` } });

async function insertAll(database: Database, collection: string, rows: readonly Row[]): Promise<void> {
  const table = database.table<Row>(collection);
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await table.insertAll(rows.slice(from, from + ROWS_AT_ONCE));
  }
}

/** Writes deliveries that their first attempt confirmed at a time, in blocks as a drain under steady load makes them. */
export async function writeDeliveries(database: Database, { events, perBlock, at }: Load): Promise<void> {
  const id = `whk_${randomUUID().slice(0, 8)}`;
  const blocks: OutboxBlock[] = [];
  for (let from = 1; from <= events; from += perBlock) {
    const sequences = Array.from({ length: Math.min(perBlock, events - from + 1) }, (_, n) => from + n);
    const notices = sequences.map((sequence) => ({
      ...{ sequence, id: `ntc_${id}_${sequence}`, eventId: `evt_${sequence}`, type: 'dataset.words.updated' },
      ...{ about: `words/${sequence % 500}`, body: body(sequence) },
    }));
    blocks.push({ block: blocks.length + 1, from, notices, sources: {}, at, token: randomUUID() });
  }
  const rows = blocks.map((block) => ({ _id: `${id}#${block.block}`, block }));
  await insertAll(database, collections.outbox, rows);
  const intent = { number: 1, episode: 0, owner: randomUUID(), startedAt: at, deadline: at };
  const end = { outcome: 'confirmed', at, bytesLeft: true, status: 200, latencyMs: 3, answer: 'ok' };
  const facts = Array.from({ length: events }, (_, n) => [
    { _id: `${id}#${n + 1}/1`, fact: intent },
    { _id: `${id}#${n + 1}/1/outcome`, fact: end },
  ]);
  await insertAll(database, collections.attempts, facts.flat());

  await createProgressStore({ database }).put(id, {
    ...{ block: blocks.length, sequence: events, sources: {}, loadedThrough: events, loadedBlock: blocks.length },
    ...{ open: [], interventions: 0, touched: [], breaker: {}, at },
    counts: { pending: 0, held: 0, delivered: events, failed: 0, cancelled: 0 },
  });
  await createResources<Subscription>({ database, kind: 'Subscription' }).insert(newSubscription(id, at));
}

/** Writes events of a platform stream that were appended at a time. */
export async function writePlatformEvents(database: Database, { events, at }: Load): Promise<void> {
  const stream = 'watch';
  const numbers = Array.from({ length: events }, (_, n) => n + 1);
  const entries = numbers.map((position) => {
    const event = {
      key: `${stream}/${position}`,
      type: 'watch.missed',
      source: '/watch',
      subject: `words/${position}`,
    };
    const entry = { kind: 'event', position, at, token: randomUUID() };
    return { _id: entryId(stream, position), entry: { ...entry, event: { ...event, at, data: body(position) } } };
  });
  await insertAll(database, collections.streams, entries);
  const marks = numbers.map((position) => ({ _id: `${stream}/${position}`, position }));
  await insertAll(database, collections.events, marks);
}

export interface Load {
  events: number;
  /** Events of one block of an outbox. */
  perBlock: number;
  at: string;
}

function newSubscription(id: string, at: string): Subscription {
  return {
    ...{ kind: 'Subscription', id, uid: randomUUID(), generation: 1, revision: 0 },
    ...{ createdAt: at, updatedAt: at, createdBy: 'bench', updatedBy: 'bench' },
    spec: SubscriptionSpec.parse({ name: id, url: 'https://receiver.example/hook', types: ['dataset.words.*'] }),
    status: {
      ...{ state: 'active', reason: null, keys: [], level: 'L0', receipts: 'none', checked_at: null },
      ...{ starts_at: {}, declarations: {} },
    },
  };
}
