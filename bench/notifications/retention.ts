/**
 * Retention against 500 events a second: writes what so many make in some minutes, lets the schedule's activity remove
 * it, turn by turn, and compares the pace. In one more round it is canceled midway and goes on with the next.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { RoundPart } from '../../activities/shared/round.js';
import { createUpkeepActivities } from '../../activities/shared/upkeep.js';
import type { RoundPosition, RoundResult } from '../../platform/kinds/round.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database } from '../../platform/stores/database.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { findFreePortBase } from '../../stack/ports.js';
import { resetStack, startStack } from '../../stack/stack.js';
import { createUpkeepParts } from '../../workers/compose/upkeep.js';
import { writeResult } from '../report.js';
import { type Load, writeDeliveries, writePlatformEvents } from './old-events.js';

const PER_SECOND = 500;
const DAY_MS = 86_400_000;
const CANCEL_AFTER_MS = 3_000;
const [minutes = 1, perBlock = 5] = process.argv.slice(2).map(Number);
const load: Load = {
  events: Math.round(minutes * 60 * PER_SECOND),
  perBlock,
  at: new Date(Date.now() - 40 * DAY_MS).toISOString(),
};

const report = (line: string): void => console.error(line);

async function count(database: Database, ...names: string[]): Promise<number> {
  let rows = 0;
  for (const name of names) for await (const { _id } of database.table(name).members([])) rows += _id === '' ? 0 : 1;
  return rows;
}

/** Keeps the longest item of a part: a round can be canceled between two. */
function timed(part: RoundPart, longest: { ms: number }): RoundPart {
  return {
    name: part.name,
    async *items() {
      for await (const { name, act } of part.items()) {
        const timedAct = async () => {
          const began = performance.now();
          return act().finally(() => (longest.ms = Math.max(longest.ms, performance.now() - began)));
        };
        yield { name, act: timedAct };
      }
    },
  };
}

async function runRound(parts: readonly RoundPart[]): Promise<{ seconds: number; turns: number }> {
  const { upkeep } = createUpkeepActivities({ parts });
  const began = performance.now();
  let next: RoundPosition | undefined;
  let turns = 0;
  do {
    const result: RoundResult = await new MockActivityEnvironment().run(() => upkeep(next));
    if (result.skipped.length > 0) throw new Error(result.skipped.join('; '));
    ({ next } = result);
    turns += 1;
  } while (next !== undefined);
  return { seconds: (performance.now() - began) / 1_000, turns };
}

/** Returns how long the canceled turn took to end. */
async function cancelRound(parts: readonly RoundPart[]): Promise<number> {
  const { upkeep } = createUpkeepActivities({ parts });
  const turn = new MockActivityEnvironment();
  let canceledAt = NaN;
  setTimeout(() => {
    canceledAt = performance.now();
    turn.cancel();
  }, CANCEL_AFTER_MS);
  await turn
    .run(() => upkeep())
    .then(
      () => report('the round was over before it was canceled'),
      () => undefined,
    );
  return performance.now() - canceledAt;
}

interface Case {
  part: string;
  write: (database: Database, load: Load) => Promise<void>;
  /** Collections whose rows it makes. */
  collections: readonly string[];
}

const CASES: Record<string, Case> = {
  deliveries: {
    part: 'deliveries of',
    write: writeDeliveries,
    collections: [collections.outbox, collections.attempts],
  },
  'platform events': {
    part: 'stream',
    write: writePlatformEvents,
    collections: [collections.streams, collections.events],
  },
};

async function measure(database: Database, { part, write, collections: names }: Case) {
  const parts = createUpkeepParts({ database, objects: createMemoryObjects() }).filter(({ name }) => name === part);
  const longest = { ms: 0 };
  const timedParts = parts.map((each) => timed(each, longest));
  await write(database, load);
  const before = await count(database, ...names);
  const { seconds, turns } = await runRound(timedParts);
  const after = await count(database, ...names);
  const perSecond = load.events / seconds;
  return {
    ...{ events: load.events, rows: before - after, rowsLeft: after, seconds, turns, longestItemMs: longest.ms },
    ...{ perSecond, ratio: perSecond / PER_SECOND },
  };
}

async function measureCancellation(database: Database, { part, write, collections: names }: Case) {
  const parts = createUpkeepParts({ database, objects: createMemoryObjects() }).filter(({ name }) => name === part);
  await write(database, load);
  const before = await count(database, ...names);
  const endedAfterMs = await cancelRound(parts);
  const left = await count(database, ...names);
  await runRound(parts);
  return { rows: before, endedAfterMs, left, leftAfterNextRound: await count(database, ...names) };
}

const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
const stateDir = join(folder, 'state');
const environment = process.env as Record<string, string | undefined>;
const portBase = await findFreePortBase();
const settings = await startStack({ stateDir, portBase, environment, only: ['mongodb'], report });
const uri = process.env.MONGODB_URI ?? settings.MONGODB_URI ?? '';
async function withDatabase<T>(act: (database: Database) => Promise<T>): Promise<T> {
  const database = await connectDatabase(uri, `bench-${randomUUID().slice(0, 8)}`);
  return act(database).finally(() => database.close());
}
try {
  const figures: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(CASES)) {
    const figure = await withDatabase((database) => measure(database, each));
    figures[name] = figure;
    const { perSecond, ratio, turns, longestItemMs, rows, rowsLeft } = figure;
    const pace = `${Math.round(perSecond)} events/s (${ratio.toFixed(2)} x ${PER_SECOND})`;
    console.log(
      `${name}: ${pace}, ${ratio >= 1 ? 'reached' : 'NOT reached'}, ${rows} rows, ${rowsLeft} left, ${turns} turns, longest item ${longestItemMs.toFixed(0)} ms`,
    );
    const canceled = await withDatabase((database) => measureCancellation(database, each));
    figures[`${name}, canceled`] = canceled;
    const { endedAfterMs, left, leftAfterNextRound } = canceled;
    const what = `${left} of ${canceled.rows} rows left, ${leftAfterNextRound} after the next round`;
    console.log(`${name}: canceled after ${CANCEL_AFTER_MS} ms, ended ${endedAfterMs.toFixed(0)} ms later, ${what}`);
  }
  await writeResult('retention', { minutes, perBlock, perSecond: PER_SECOND, ...figures });
} finally {
  await resetStack({ stateDir, report });
  await rm(folder, { recursive: true, force: true });
}
