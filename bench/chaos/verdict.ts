import type { AttemptEnd, ReceiptCheck, Settlement } from '../../notifications/kinds/attempt.js';
import type { OutboxEvent, OutboxBlock } from '../../notifications/kinds/outbox-event.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import type { Effect } from './oracle.js';
import { type Book, digestOf } from './receiver.js';

/** The records of the sender for one subscription. */
export interface SenderRecords {
  notices: OutboxEvent[];
  /** By the `_id` behind the subscription: `<sequence>/<n>/outcome` and so on. */
  facts: Map<string, unknown>;
}

/** Everything at once: the rows of one subscription are most of what a database of its own holds. */
export async function readSenderRecords(database: Database, subscription: string): Promise<SenderRecords> {
  const notices: OutboxEvent[] = [];
  const blocks = database.table<Row & { block: OutboxBlock }>(collections.outbox);
  for await (const { _id, block } of blocks.scan()) {
    if (_id.startsWith(`${subscription}#`)) notices.push(...block.notices);
  }
  const facts = new Map<string, unknown>();
  const attempts = database.table<Row & { fact: unknown }>(collections.attempts);
  for await (const { _id, fact } of attempts.scan()) {
    if (_id.startsWith(`${subscription}#`)) facts.set(_id.slice(subscription.length + 1), fact);
  }
  return { notices: notices.sort((one, other) => one.sequence - other.sequence), facts };
}

/** How often each way out of an unclear attempt was taken. */
export type Resolutions = Record<'receipt' | 'withdrawn' | 'fence' | 'resend' | 'people', number>;

export interface Figures {
  notices: number;
  /** Acknowledged writes without a notice, and notices without an effect. */
  lost: number;
  doubledEffects: number;
  /** POSTs of a notice of which an earlier POST may have taken effect, without those that were refused. */
  duplicatePosts: number;
  refusedPosts: number;
  /** The duplicates that exceed the unclear attempts of their delivery. */
  unexplainedPosts: number;
  ambiguous: number;
  orderViolations: number;
  changedBytes: number;
  ways: Resolutions;
}

export interface Evidence {
  /** Values that were written, each once. */
  values: readonly number[];
  records: SenderRecords;
  effects: readonly Effect[];
  books: ReadonlyMap<string, Book>;
}

/** Compares what was asked for, what the sender wrote down, and what happened at the receiver. */
export function compareRecords({ values, records: { notices, facts }, effects, books }: Evidence): Figures {
  const emitted = new Set(notices.map(({ body }) => valueOf(body)));
  const done = new Set(effects.map(({ id }) => id));
  const digests = new Map(notices.map(({ id, body }) => [id, digestOf(body)]));
  const all = [...books].map(([, book]) => book);
  const ends = [...facts].filter(([id]) => id.endsWith('/outcome')) as [string, AttemptEnd][];
  const unclear = ends.filter(([, { outcome }]) => outcome === 'ambiguous').map(([id]) => id);
  const unclearOf = countBySequence(unclear);
  const sequences = new Map(notices.map(({ id, sequence }) => [id, sequence]));
  const ways: Resolutions = { receipt: 0, withdrawn: 0, fence: 0, resend: 0, people: 0 };
  for (const id of unclear) ways[wayOut(id.replace(/\/outcome$/, ''), facts)] += 1;
  return {
    notices: notices.length,
    lost: values.filter((value) => !emitted.has(value)).length + notices.filter(({ id }) => !done.has(id)).length,
    doubledEffects: effects.length - done.size,
    duplicatePosts: all.reduce((sum, { repeats }) => sum + repeats, 0),
    refusedPosts: all.reduce((sum, { refusedRepeats }) => sum + refusedRepeats, 0),
    unexplainedPosts: [...books].reduce(
      (sum, [id, { repeats }]) => sum + Math.max(0, repeats - (unclearOf.get(sequences.get(id) ?? 0) ?? 0)),
      0,
    ),
    ambiguous: unclear.length,
    orderViolations: countViolations(effects),
    changedBytes: [...books].filter(([id, book]) => [...book.digests].some((digest) => digest !== digests.get(id)))
      .length,
    ways,
  };
}

/** @param attempts ids of facts, `<sequence>/<n>/outcome` */
function countBySequence(attempts: readonly string[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const id of attempts) {
    const sequence = Number(id.slice(0, id.indexOf('/')));
    counts.set(sequence, (counts.get(sequence) ?? 0) + 1);
  }
  return counts;
}

/** First effects of notices about one subject whose number is lower than that of one before. */
function countViolations(effects: readonly Effect[]): number {
  const newest = new Map<string, number>();
  const seen = new Set<string>();
  let violations = 0;
  for (const { id, subject, sequence } of effects) {
    if (seen.has(id)) continue;
    seen.add(id);
    const before = newest.get(subject) ?? 0;
    if (sequence < before) violations += 1;
    newest.set(subject, Math.max(before, sequence));
  }
  return violations;
}

/** @param attempt `<sequence>/<n>` */
function wayOut(attempt: string, facts: SenderRecords['facts']): keyof Resolutions {
  for (let number = 1; facts.has(`${attempt}/receipt/${number}`); number += 1) {
    const { answer } = facts.get(`${attempt}/receipt/${number}`) as ReceiptCheck;
    if (answer === 'received') return 'receipt';
    if (answer === 'refused') return 'withdrawn';
    if (answer === 'absent') return 'fence';
  }
  const [sequence] = attempt.split('/');
  const settled = facts.get(`${sequence}/settled/0`) as Settlement | undefined;
  return settled?.by === 'operator' || facts.has(`${sequence}/replay/1`) ? 'people' : 'resend';
}

/** Finds the deliveries whose last attempt ended unclear, and that have no operator action yet. */
export function findHeld({ notices, facts }: SenderRecords): OutboxEvent[] {
  return notices.filter(({ sequence }) => {
    let last = 0;
    while (facts.has(`${sequence}/${last + 1}`)) last += 1;
    const [end, late] = ['outcome', 'late'].map((word) => facts.get(`${sequence}/${last}/${word}`));
    const { outcome } = (late ?? end ?? {}) as Partial<AttemptEnd>;
    const intent = facts.get(`${sequence}/${last}`) as { episode: number } | undefined;
    const isDecided =
      facts.has(`${sequence}/settled/${intent?.episode ?? 0}`) ||
      facts.has(`${sequence}/replay/${(intent?.episode ?? 0) + 1}`);
    return outcome === 'ambiguous' && !isDecided;
  });
}

const valueOf = (body: string): number => (JSON.parse(body) as { data: { entity: { n: number } } }).data.entity.n;
