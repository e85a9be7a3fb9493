import { expect, test, vi } from 'vitest';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { insertOnce } from '../../../platform/stores/insert-once.js';

interface Stored {
  token: string;
}
const lost = () => new SlipwayError('unavailable', 'no answer');

/** A slot for one row; each of the listed inserts loses its answer before or after it takes effect. */
function createSlot(faults: ('before' | 'after' | undefined)[] = [], initial?: Stored) {
  let stored = initial;
  let inserts = 0;
  const insertion = (row: Stored) => ({
    insert: async () => {
      const fault = faults[inserts];
      inserts += 1;
      if (fault === 'before') throw lost();
      const isFree = stored === undefined;
      stored ??= row;
      if (fault === 'after') throw lost();
      return isFree;
    },
    read: async () => stored,
    isOwn: ({ token }: Stored) => token === row.token,
  });
  return { insertion, stored: () => stored, inserts: () => inserts };
}

test('a free id is taken by one insert', async () => {
  const slot = createSlot();
  expect(await insertOnce(slot.insertion({ token: 'a' }))).toEqual({ inserted: true });
  expect([slot.stored(), slot.inserts()]).toEqual([{ token: 'a' }, 1]);
});

test.each([[['before']], [['after']], [['after', 'before']], [['before', 'after']]] as const)(
  'lost answers do not matter: %s',
  async (faults) => {
    const slot = createSlot([...faults]);
    expect(await insertOnce(slot.insertion({ token: 'a' }))).toEqual({ inserted: true });
    expect(slot.stored()).toEqual({ token: 'a' });
  },
);

test('a row of another writer is returned, also when the first answer was lost', async () => {
  const slot = createSlot(['after'], { token: 'b' });
  expect(await insertOnce(slot.insertion({ token: 'a' }))).toEqual({ inserted: false, other: { token: 'b' } });
});

test('a row that was removed since is not taken for the own one', async () => {
  const removed = { insert: async () => false, read: async () => undefined, isOwn: () => true };
  expect(await insertOnce(removed)).toEqual({ inserted: false, other: undefined });
});

test('after three lost answers the error reaches the caller; other errors at once', async () => {
  const slot = createSlot(['before', 'before', 'before']);
  await expect(insertOnce(slot.insertion({ token: 'a' }))).rejects.toMatchObject({ code: 'unavailable' });
  expect(slot.inserts()).toBe(3);
  const insert = async () => {
    throw new SlipwayError('internal', 'bug');
  };
  const broken = { insert, read: async () => undefined, isOwn: () => true };
  await expect(insertOnce(broken)).rejects.toMatchObject({ code: 'internal' });
});

test('a try that has waited for the database for long is the last one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    let inserts = 0;
    const insert = async () => {
      inserts += 1;
      vi.advanceTimersByTime(5_000);
      throw lost();
    };
    const slow = { insert, read: async () => undefined, isOwn: () => true };
    await expect(insertOnce(slow)).rejects.toMatchObject({ code: 'unavailable' });
    expect(inserts).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
