import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SlipwayError } from '../../../../platform/kinds/errors.js';
import { collections } from '../../../../platform/stores/collections.js';
import type { Database, Row, Table } from '../../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../../platform/stores/memory-database.js';
import { createHmacSecret, parseSigningKey } from '../../../../notifications/delivery/signing-keys.js';
import { openProcess } from '../../../reference/stores/dataset-process.js';
import { crashAt, killAt, type Level, openStage, type Stage, startMortal } from './crash-scene.js';
import { isOfWriter, type Point } from './points.js';

const stages: Stage[] = [];
afterAll(async () => {
  for (const { close } of stages) await close();
});

interface Found {
  attempts: string[];
  /** Whole requests at the receiver, and effects there. */
  posts: number;
  effects: number;
  state?: string;
}
const ONCE: Found = { attempts: ['confirmed'], posts: 1, effects: 1 };
const AGAIN = ['ambiguous', 'confirmed'];
const WITHDRAWN = ['ambiguous, refused', 'confirmed'];
const HELD = { attempts: ['ambiguous'], state: 'held' };
const RECEIPT: Found = { attempts: ['ambiguous, received'], posts: 1, effects: 1 };

/** The state after a kill at each point, when another sender went on. */
const MATRIX: Partial<Record<Point, Partial<Record<Level, Found>>>> = {
  'behind the change': { L0: ONCE, L1: ONCE, L2: ONCE, hold: ONCE },
  'behind the log entry': { L0: ONCE, L1: ONCE, L2: ONCE, hold: ONCE },
  'behind the outbox': { L0: ONCE, L1: ONCE, L2: ONCE, hold: ONCE },
  'behind the intent': {
    L0: { attempts: AGAIN, posts: 1, effects: 1 },
    L1: { attempts: AGAIN, posts: 1, effects: 1 },
    L2: { attempts: WITHDRAWN, posts: 1, effects: 1 },
    hold: { ...HELD, posts: 0, effects: 0 },
  },
  'within the body': {
    L0: { attempts: AGAIN, posts: 1, effects: 1 },
    L1: { attempts: AGAIN, posts: 1, effects: 1 },
    L2: { attempts: WITHDRAWN, posts: 1, effects: 1 },
    hold: { ...HELD, posts: 0, effects: 0 },
  },
  'at the receiver, before its effect': {
    L0: { attempts: AGAIN, posts: 2, effects: 2 },
    L1: { attempts: AGAIN, posts: 2, effects: 1 },
    L2: { attempts: WITHDRAWN, posts: 2, effects: 1 },
    hold: { ...HELD, posts: 1, effects: 1 },
  },
  'at the receiver, behind its effect': {
    L0: { attempts: AGAIN, posts: 2, effects: 2 },
    L1: { attempts: AGAIN, posts: 2, effects: 1 },
    L2: RECEIPT,
    hold: { ...HELD, posts: 1, effects: 1 },
  },
  'before the outcome': {
    L0: { attempts: AGAIN, posts: 2, effects: 2 },
    L1: { attempts: AGAIN, posts: 2, effects: 1 },
    L2: RECEIPT,
    hold: { ...HELD, posts: 1, effects: 1 },
  },
  'behind the outcome': { L0: ONCE, L1: ONCE, L2: ONCE, hold: ONCE },
  'during the question': { L2: RECEIPT },
};

describe.each(Object.entries(MATRIX) as [Point, Partial<Record<Level, Found>>][])('killed %s', (point, row) => {
  const levels = Object.keys(row) as Level[];
  let crashed: Awaited<ReturnType<typeof crashAt>>;
  beforeAll(async () => {
    crashed = await crashAt(point, levels);
    stages.push(...crashed.stages.values());
  });

  test.each(levels)('%s', async (level) => {
    const stage = crashed.stages.get(level);
    if (stage === undefined) throw new Error(level);
    if (isOfWriter(point)) await completeChange(crashed.database, stage);
    await stage.goOn();
    await stage.letGo();
    const { attempts, posts, effects, state = 'delivered' } = row[level] ?? ONCE;
    expect(await stage.attempts()).toEqual(attempts);
    expect([stage.posts(), stage.effects.length]).toEqual([posts, effects]);
    expect(await stage.state()).toBe(state);
    // Once more nothing happens.
    await stage.goOn(3_600_000);
    expect([stage.posts(), stage.effects.length]).toEqual([posts, effects]);
  });
});

/** Every sender that finds an unacknowledged change brings it to its end. */
async function completeChange(database: Database, { dataset }: Stage): Promise<void> {
  const survivor = openProcess(database, dataset);
  await survivor.follower.catchUp();
  const record = await survivor.records.get('1', 1);
  if (record === undefined) throw new Error('the change is gone');
  await survivor.writer.complete(record);
}

describe('a sender that was given up and comes back beside the new one', () => {
  test.each([
    // Its time is over, so it does not send what it had only announced.
    ['behind the intent', 'L0', ['ambiguous, late not_sent', 'confirmed'], 1, 1],
    ['behind the intent', 'L2', ['ambiguous, late not_sent, refused', 'confirmed'], 1, 1],
    // Its observation is added, and settles the delivery for good.
    ['before the outcome', 'L0', ['ambiguous, late confirmed', 'confirmed'], 2, 2],
    ['before the outcome', 'L1', ['ambiguous, late confirmed', 'confirmed'], 2, 1],
    ['before the outcome', 'L2', ['ambiguous, late confirmed, received'], 1, 1],
    ['before the outcome', 'hold', ['ambiguous, late confirmed'], 1, 1],
  ] as [Point, Level, string[], number, number][])('%s, %s', async (point, level, attempts, posts, effects) => {
    const database = createMemoryDatabase();
    const stage = await openStage(database, level, point);
    stages.push(stage);
    const { child, ended } = startMortal(database, point, [stage], point === 'behind the intent' ? 50 : undefined);
    await stage.reached.raised;
    await stage.goOn();
    await sleep(60); // the time of its attempt
    child.send('go on');
    expect(await ended).toEqual([0, null]);
    expect(await stage.attempts()).toEqual(attempts);
    expect([stage.posts(), stage.effects.length]).toEqual([posts, effects]);
    await stage.goOn(3_600_000);
    expect([stage.posts(), await stage.state()]).toEqual([posts, 'delivered']);
  });
});

/** A database that does not answer when facts of this kind are written, as often as `times` says. */
function away(database: Database, kind: RegExp, times: { left: number }): Database {
  return {
    ...database,
    table<R extends Row>(name: string): Table<R> {
      const table = database.table<R>(name);
      if (name !== collections.attempts) return table;
      return {
        ...table,
        insertAll: async (rows) => {
          if (!rows.some(({ _id }) => kind.test(_id)) || times.left <= 0) return table.insertAll(rows);
          times.left -= 1;
          throw new SlipwayError('unavailable', 'the database does not answer');
        },
      };
    },
  };
}

test.each(['L0', 'L1', 'L2', 'hold'] as const)(
  'without a store nothing is sent, and an outcome is kept until it is stored: %s',
  async (level) => {
    const times = { left: 3 };
    const stage = await openStage(away(createMemoryDatabase(), /\/\d+$/, times), level, 'before the outcome');
    stages.push(stage);
    await stage.goOn();
    // The intent that was stored late sent nothing, and says so.
    expect([await stage.attempts(), stage.posts()]).toEqual([['not_sent', 'confirmed'], 1]);

    const later = await openStage(away(createMemoryDatabase(), /\/outcome$/, { left: 4 }), level, 'before the outcome');
    stages.push(later);
    await later.goOn();
    expect([await later.attempts(), later.posts(), later.effects.length]).toEqual([['confirmed'], 1, 1]);
  },
);

test('attempts that became due while no sender ran go first', async () => {
  const failsFirst = { notice: (_: string, nth: number) => (nth === 1 ? ('failing' as const) : undefined) };
  const spec = { schedule: [0, 60] };
  const { stages: found } = await crashAt('behind the outcome', ['L0'], { plan: failsFirst, spec });
  const stage = found.get('L0');
  if (stage === undefined) throw new Error('no stage');
  stages.push(stage);
  stage.receiver.calm();
  await stage.write(stage.change('2', 'Open'));
  await stage.goOn(100_000);
  expect(await stage.attempts()).toEqual(['refused', 'confirmed']);
  expect(stage.effects.map(({ sequence }) => sequence)).toEqual([1, 2]);
});

test('a key that was changed after the intent signs what goes on', async () => {
  const { stages: found } = await crashAt('behind the intent', ['L1']);
  const stage = found.get('L1');
  if (stage === undefined) throw new Error('no stage');
  stages.push(stage);
  const next = createHmacSecret();
  stage.receiver.trust(next);
  await stage.drain({ now: () => new Date(Date.now() + 30_000), keysOf: () => [parseSigningKey(next)] });
  expect([await stage.attempts(), stage.effects.length]).toEqual([AGAIN, 1]);
});

test.each([
  ['changes', false],
  ['an import that is released', true],
])('of the blocks of notices of %s the first was made: none is lost, none comes twice', async (_, isImport) => {
  const database = createMemoryDatabase();
  const spec = { rate: { per_second: 1_000, concurrency: 8 } };
  const stage = await openStage(database, 'L0', 'behind the outbox', { changes: 450, spec, isImport });
  stages.push(stage);
  await killAt(startMortal(database, 'behind the outbox', [stage]), [stage]);
  await stage.goOn();
  const subjects = new Set(stage.effects.map(({ subject }) => subject));
  expect([stage.posts(), stage.effects.length, subjects.size]).toEqual([450, 450, 450]);
});
