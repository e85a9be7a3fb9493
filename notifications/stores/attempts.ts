import type { Attempt, AttemptEnd, Intent, ReceiptCheck, Reopening, Settlement } from '../kinds/attempt.js';
import { mapSome } from '../../platform/kinds/map-some.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database, Row } from '../../platform/stores/database.js';
import { retryUnavailable } from '../../platform/stores/insert-once.js';
import { createWriteBatches } from '../../platform/stores/write-batches.js';

/** One delivery: an event of a subscription. */
export interface DeliveryKey {
  subscription: string;
  sequence: number;
}
export interface DeliveryFacts {
  attempts: Attempt[];
  settlements: Settlement[];
  reopenings: Reopening[];
}

/**
 * The write-ahead ledger of deliveries. Facts are inserted and never changed, so the first one under an `_id` decides.
 * Facts that come at once share a round trip, also those of different subscriptions. Everything throws `unavailable` when
 * it is not known whether the fact is stored.
 */
export interface AttemptLedger {
  /** Before the first byte. @returns false when another sender has this attempt */
  begin(key: DeliveryKey, intent: Intent): Promise<boolean>;
  /** @returns the recorded end of the attempt: another sender may have given it up meanwhile */
  end(key: DeliveryKey, attempt: number, end: AttemptEnd): Promise<AttemptEnd>;
  /** Records the end that the owner saw after another sender had given the attempt up. */
  addLate(key: DeliveryKey, attempt: number, end: AttemptEnd): Promise<void>;
  addReceipt(key: DeliveryKey, attempt: number, check: ReceiptCheck & { number: number }): Promise<void>;
  /** @returns the recorded settlement: this one, or an earlier one */
  settle(key: DeliveryKey, settlement: Settlement): Promise<Settlement>;
  /** @returns the recorded reopening: this one, or an earlier one */
  reopen(key: DeliveryKey, reopening: Reopening): Promise<Reopening>;
  read(key: DeliveryKey): Promise<DeliveryFacts>;
  /**
   * Reads the end of the first attempt of a delivery if it settled the delivery and nothing was reopened: one or two
   * reads, where `read` takes five or more. @returns undefined in every other case
   */
  readConfirmed(key: TouchableKey): Promise<AttemptEnd | undefined>;
  /**
   * Removes deliveries, the newest facts of each first: after a crash the rest is still found.
   * @param keys `isConfirmed`: `readConfirmed` has just found its end, so its facts need not be read
   */
  removeAll(keys: readonly (TouchableKey & { isConfirmed?: boolean })[]): Promise<void>;
}

/** `isUntouched`: the subscription had no operator action and no recovery, so nothing of it was reopened. */
type TouchableKey = DeliveryKey & { isUntouched?: boolean };

type Fact = Row & { fact: unknown };
const MOST = 500;
const MOST_BYTES = 2 ** 20;
const READ_AT_ONCE = 16;

export function createAttemptLedger({ database }: { database: Database }): AttemptLedger {
  const table = database.table<Fact>(collections.attempts);

  const get = async <T>(id: string) => (await table.get(id))?.fact as T | undefined;

  /** Inserts a fact. @returns false when one exists, perhaps from an earlier try without acknowledgement */
  const insert = createWriteBatches<Fact, boolean>({
    most: MOST,
    mostBytes: MOST_BYTES,
    sizeOf: ({ fact }) => ((fact as Partial<AttemptEnd>).answer?.length ?? 0) + 200,
    async flush(rows) {
      const taken = new Set(await retryUnavailable(() => table.insertAll(rows)));
      return rows.map(({ _id }) => !taken.has(_id));
    },
  });

  async function readAttempt(base: string): Promise<Attempt | undefined> {
    const intent = await get<Intent>(base);
    if (intent === undefined) return undefined;
    const end = await get<AttemptEnd>(`${base}/outcome`);
    if (end === undefined) return { ...intent, receipts: [] };
    if (end.outcome !== 'ambiguous') return { ...intent, end, receipts: [] };
    const late = await get<AttemptEnd>(`${base}/late`);
    const receipts = await readAll((number) => get<ReceiptCheck>(`${base}/receipt/${number}`));
    return { ...intent, end, ...(late && { late }), receipts };
  }

  async function read(key: DeliveryKey): Promise<DeliveryFacts> {
    const base = keyId(key);
    const [attempts, reopenings] = await Promise.all([
      readAll((number) => readAttempt(`${base}/${number}`)),
      readAll((episode) => get<Reopening>(`${base}/replay/${episode}`)),
    ]);
    const episodes = Array.from({ length: reopenings.length + 1 }, (_, episode) => episode);
    const settled = await Promise.all(episodes.map((episode) => get<Settlement>(`${base}/settled/${episode}`)));
    return { attempts, reopenings, settlements: settled.filter((each) => each !== undefined) };
  }

  async function readConfirmed({ isUntouched = false, ...key }: TouchableKey): Promise<AttemptEnd | undefined> {
    const base = keyId(key);
    const [end, reopening] = await Promise.all([
      get<AttemptEnd>(`${base}/1/outcome`),
      isUntouched ? undefined : get<Reopening>(`${base}/replay/1`),
    ]);
    return end?.outcome === 'confirmed' && reopening === undefined ? end : undefined;
  }

  /** Returns the ids of the facts of a delivery, the newest first. */
  async function idsOf({ isConfirmed, isUntouched, ...key }: TouchableKey & { isConfirmed?: boolean }) {
    const base = keyId(key);
    if (isConfirmed && isUntouched) return ['1/outcome', '1'].map((id) => `${base}/${id}`);
    // It may have got a settlement or a reopening at the same time.
    if (isConfirmed) return ['replay/1', 'settled/0', '1/outcome', '1'].map((id) => `${base}/${id}`);
    const { attempts, reopenings, settlements } = await read(key);
    const ids = [
      ...reopenings.map(({ episode }) => `replay/${episode}`),
      ...settlements.map(({ episode }) => `settled/${episode}`),
      ...attempts.flatMap(({ number, receipts }) => [
        String(number),
        `${number}/outcome`,
        `${number}/late`,
        ...receipts.map((_, index) => `${number}/receipt/${index + 1}`),
      ]),
    ];
    return ids.reverse().map((id) => `${base}/${id}`);
  }

  return {
    async begin(key, intent) {
      const _id = `${keyId(key)}/${intent.number}`;
      if (await insert({ _id, fact: intent })) return true;
      return (await get<Intent>(_id))?.owner === intent.owner;
    },
    async end(key, attempt, end) {
      const _id = `${keyId(key)}/${attempt}/outcome`;
      if (await insert({ _id, fact: end })) return end;
      return (await get<AttemptEnd>(_id)) ?? end;
    },
    addLate: async (key, attempt, end) => void (await insert({ _id: `${keyId(key)}/${attempt}/late`, fact: end })),
    async addReceipt(key, attempt, { number, ...check }) {
      await insert({ _id: `${keyId(key)}/${attempt}/receipt/${number}`, fact: check });
    },
    async settle(key, settlement) {
      const _id = `${keyId(key)}/settled/${settlement.episode}`;
      if (await insert({ _id, fact: settlement })) return settlement;
      return (await get<Settlement>(_id)) ?? settlement;
    },
    async reopen(key, reopening) {
      const _id = `${keyId(key)}/replay/${reopening.episode}`;
      if (await insert({ _id, fact: reopening })) return reopening;
      return (await get<Reopening>(_id)) ?? reopening;
    },
    read,
    readConfirmed,
    async removeAll(keys) {
      const ids = await mapSome(keys, READ_AT_ONCE, idsOf);
      await table.removeAll(ids.flat());
    },
  };
}

const keyId = ({ subscription, sequence }: DeliveryKey): string => `${subscription}#${sequence}`;

/** Facts numbered from 1 on, up to the first that is not there. */
async function readAll<T>(read: (number: number) => Promise<T | undefined>): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const fact = await read(found.length + 1);
    if (fact === undefined) return found;
    found.push(fact);
  }
}
