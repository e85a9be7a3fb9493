import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../examples/wine/demo/client.js';
import type { Database } from '../../platform/stores/database.js';
import { openOracle, readOracle } from './oracle.js';
import { createPlan, type Plan } from './plan.js';
import { type ChaosReceiver, type Manners, openChaosReceiver } from './receiver.js';
import { type Figures, findHeld, compareRecords, readSenderRecords } from './verdict.js';

export const LEVELS = ['L0', 'L1', 'L2', 'hold'] as const;
/** The level of the receiver; `hold`: it proves no level, and the sender does not retry by itself. */
export type Level = (typeof LEVELS)[number];

export interface CampaignOptions {
  client: Client;
  /** Where the sender writes. */
  database: Database;
  level: Level;
  notices: number;
  /** POSTs that are under way at once, 1 to 100. */
  concurrency?: number;
  seed: number;
  /** The file that the receiver writes its effects to. */
  oracleFile: string;
  /** Unique in the installation. */
  name: string;
  tls?: { key: string; cert: string };
  plan?: Plan;
  /** `most`: as often as that, else until everything is settled. */
  kill?: { everyMs: number; most?: number; strike: (nth: number) => Promise<string> };
  limitMs: number;
  report: (line: string) => void;
}

export interface Campaign {
  figures: Figures;
  faults: ChaosReceiver['faults'];
  /** How often each part was killed. */
  kills: Record<string, number>;
  seconds: number;
}

interface Shown {
  id: string;
  secret: string;
  state: string;
  minted: number;
  level: { proven: string };
  counts: Record<'pending' | 'held' | 'delivered' | 'failed', number>;
}

const MANNERS = { L0: 'plain', L1: 'dedupes', L2: 'receipts', hold: 'plain' } as const satisfies Record<Level, Manners>;
/** Short pauses, so that a run of minutes meets many attempts. */
const SCHEDULE = [0, ...Array<number>(23).fill(1)];
const FIRST_ID = 9_007_199_254_740_993n; // above 2^53 on purpose
const VERSIONS = 4;

/**
 * Writes so many changes, delivers them to a receiver at which everything goes wrong, kills whatever `strike` kills
 * meanwhile, and compares in the end what was written, what was sent and what took effect.
 * @throws when it has not come to an end in time
 */
export async function runCampaign(options: CampaignOptions): Promise<Campaign> {
  const {
    client,
    database,
    level,
    notices,
    concurrency = 32,
    seed,
    oracleFile,
    name,
    tls,
    kill,
    limitMs,
    report,
  } = options;
  const began = Date.now();
  const oracle = await openOracle(oracleFile);
  const plan = options.plan ?? createPlan(seed, { tls: tls !== undefined });
  const receiver = await openChaosReceiver({ manners: MANNERS[level], oracle, plan, ...(tls && { tls }) });
  const patient = persistent(client, began + limitMs);
  const ending = new AbortController();
  const kills: Campaign['kills'] = {};
  try {
    const dataset = `chaos_${name}`;
    const fields = { n: { type: 'integer' } };
    const spec = { fields, allow_blind_put: true };
    await patient('PUT', `/v2/datasets/${dataset}`, { kind: 'Dataset', id: dataset, spec });
    const created = await patient<Shown>('POST', '/v2/subscriptions', {
      ...{ name, url: receiver.url, receipt_url: receiver.receiptUrl, types: [`dataset.${dataset}.*`] },
      ...{ schedule: SCHEDULE, rate: { per_second: 1_000, concurrency }, ordering: { max_block: 'wait' } },
      on_ambiguous: level === 'hold' ? 'hold' : 'resend',
    });
    const path = `/v2/subscriptions/${created.id}`;
    receiver.trust(created.secret);
    const { level: proven } = await patient<Shown>('POST', `${path}/probe`);
    report(`the receiver has shown ${proven.proven}`);
    receiver.begin();

    const killing = kill && strikeUntil(kill, ending.signal, kills, report);
    const values = await write(patient, dataset, notices);
    for (let reported = 0; ; await sleep(500)) {
      if (Date.now() - began > limitMs) throw new Error(`not everything was settled within ${limitMs / 1_000} s`);
      const shown = await client.call<Shown>('GET', path).catch(() => undefined);
      if (shown === undefined) continue;
      const { state, counts, minted } = shown.body;
      if (Date.now() - reported > 5_000) {
        reported = Date.now();
        report(`${minted} minted, ${counts.delivered} delivered, ${counts.pending} pending, ${counts.held} held`);
      }
      if (state === 'disabled') await patient('POST', `${path}/resume`); // an operator resumes it
      // A store that is away just now is asked again in the next round.
      if (counts.held > 0)
        await decide({ client, path, database, subscription: created.id, receiver, oracleFile }).catch(() => {});
      if (minted >= values.length && counts.pending === 0 && counts.held === 0) break;
    }
    ending.abort();
    await killing;
    receiver.calm();
    await receiver.settle();
    const written = await readSenderRecords(database, created.id);
    const effects = await readOracle(oracleFile);
    const figures = compareRecords({ values, records: written, effects, books: receiver.books });
    return { figures, faults: receiver.faults, kills, seconds: Math.round((Date.now() - began) / 1_000) };
  } finally {
    ending.abort();
    await receiver.close();
    await oracle.close();
  }
}

type Patient = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Calls until it works: what is killed comes back. */
function persistent(client: Client, deadline: number): Patient {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    for (;;) {
      try {
        return (await client.call<T>(method, path, body)).body;
      } catch (err) {
        if (Date.now() > deadline) throw err;
        await sleep(300);
      }
    }
  };
}

/** Writes several versions of each row, in order. @returns the values, one for each change */
async function write(call: Patient, dataset: string, notices: number): Promise<number[]> {
  const entities = Math.ceil(notices / VERSIONS);
  for (let from = 0; from < notices;) {
    const upTo = Math.min(notices, from + Math.min(entities, 500));
    let items = Array.from({ length: upTo - from }, (_, index) => {
      const n = from + index;
      return { op: 'put', id: String(FIRST_ID + BigInt(n % entities)), entity: { n } };
    });
    // A write with an unknown result is repeated; a write with the same content is no change.
    while (items.length > 0) {
      const reply = await call<{ items: { status: number }[] }>('POST', `/v2/${dataset}/batch`, items);
      items = items.filter((_, index) => (reply.items[index]?.status ?? 500) >= 400);
    }
    from = upTo;
  }
  return Array.from({ length: notices }, (_, n) => n);
}

async function strikeUntil(
  { everyMs, most = Infinity, strike }: NonNullable<CampaignOptions['kill']>,
  signal: AbortSignal,
  kills: Record<string, number>,
  report: (line: string) => void,
): Promise<void> {
  for (let nth = 0; nth < most; nth += 1) {
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const what = await strike(nth);
    kills[what] = (kills[what] ?? 0) + 1;
    report(`killed ${what}`);
  }
}

interface Decision extends Pick<CampaignOptions, 'client' | 'database' | 'oracleFile'> {
  path: string;
  subscription: string;
  receiver: ChaosReceiver;
}

/** Confirms or resends held deliveries, as an operator decides from the records of the receiver. */
async function decide({ client, path, database, subscription, receiver, oracleFile }: Decision): Promise<void> {
  const held = findHeld(await readSenderRecords(database, subscription)).filter(({ id }) => !receiver.isBusyWith(id));
  const done = new Set((await readOracle(oracleFile)).map(({ id }) => id));
  for (const { sequence, id } of held) {
    const isDone = done.has(id);
    if (!isDone) receiver.forgive(id);
    // A delivery that is settled meanwhile, or whose request fails, does not stop the others.
    await client.call('POST', `${path}/deliveries/${sequence}/${isDone ? 'confirm' : 'resend'}`).catch(() => {});
  }
}
