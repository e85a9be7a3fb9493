import { expect, onTestFinished, test } from 'vitest';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { collections } from '../../../platform/stores/collections.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { runForLeader } from '../../../platform/stores/leader.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { until } from '../../stack/scratch.js';

const TERM_MS = 3_000;

function open() {
  const shared = createMemoryDatabase();
  const clock = { ms: 1_000 * TERM_MS };
  const leaders = new Set<string>();
  const most = { at: 0 };

  function join(name: string) {
    const state = { isStopped: false, isAway: false, errors: 0, looks: 0 };
    const reached: Database = {
      ...shared,
      now: () => {
        state.looks += 1;
        return new Date(clock.ms);
      },
      table: <R extends Row>(collection: string): Table<R> => {
        const table = shared.table<R>(collection);
        const get = async (id: string): Promise<R | undefined> => {
          while (state.isStopped) await new Promise(setImmediate); // SIGSTOP
          if (state.isAway) throw new SlipwayError('unavailable', 'the database is away');
          return table.get(id);
        };
        return { ...table, get };
      },
    };
    const running = runForLeader({
      ...{ database: reached, task: 'waker', termMs: TERM_MS, pollMs: 1, onError: () => (state.errors += 1) },
      lead: () => {
        leaders.add(name);
        most.at = Math.max(most.at, leaders.size);
        return { stop: async () => void leaders.delete(name) };
      },
    });
    onTestFinished(() => {
      state.isStopped = false;
      return running.stop();
    });
    /** Waits until it has read the clock some times more. */
    const looks = (): Promise<unknown> => {
      const enough = state.looks + 4;
      return until(() => state.looks >= enough);
    };
    return { state, looks, stop: () => running.stop() };
  }
  return { shared, clock, leaders, most, join };
}

test('of several processes one leads, for as many terms as it lives, and rows of terms that are over go', async () => {
  const { shared, clock, leaders, most, join } = open();
  const first = join('first');
  await until(() => leaders.has('first'));
  const second = join('second');
  for (let step = 0; step < 12; step += 1) {
    clock.ms += TERM_MS / 4;
    await Promise.all([first.looks(), second.looks()]);
  }
  expect([...leaders]).toEqual(['first']);
  expect(most.at).toBe(1);
  let rows = 0;
  for await (const _ of shared.table(collections.leader).scan()) rows += 1;
  expect(rows).toBeLessThanOrEqual(3);
});

test('a leader that is gone is followed by another one after its terms; one that comes back late ends its work', async () => {
  const { clock, leaders, join } = open();
  const first = join('first');
  await until(() => leaders.has('first'));
  first.state.isStopped = true;
  clock.ms += (TERM_MS * 2) / 3; // time to claim the next term, which it does not
  const second = join('second');
  await second.looks();
  expect([...leaders]).toEqual(['first']);
  clock.ms += TERM_MS;
  await until(() => leaders.has('second'));
  first.state.isStopped = false;
  await until(() => !leaders.has('first'));
  await second.looks();
  expect([...leaders]).toEqual(['second']);
});

test('a leader goes on while the database is away, and says so', async () => {
  const { clock, leaders, join } = open();
  const first = join('first');
  await until(() => leaders.has('first'));
  first.state.isAway = true;
  clock.ms += 3 * TERM_MS;
  await until(() => first.state.errors > 2);
  expect([...leaders]).toEqual(['first']);
  first.state.isAway = false;
  await first.looks();
  expect([...leaders]).toEqual(['first']);
});

test('a leader that is stopped ends its work', async () => {
  const { leaders, join } = open();
  const first = join('first');
  await until(() => leaders.has('first'));
  await first.stop();
  expect(leaders.size).toBe(0);
});
