import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Change } from '../../../reference/dataset/change.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { collections } from '../../../platform/stores/collections.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { declare, type DatasetProcess, openProcess, wordsOf } from './dataset-process.js';
import { without } from '../../platform/stores/faults.js';

/** Several processes that write one dataset. */
export function changeWriterContract(open: () => Promise<Database>): void {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  async function declared(processes = 1) {
    const dataset = randomUUID();
    const opened = Array.from({ length: processes }, () => openProcess(database, dataset));
    await opened[0]?.follower.append(() => declare(1));
    await Promise.all(opened.map(({ follower }) => follower.catchUp()));
    const [first, second, third] = opened;
    if (!first) throw new Error('no process');
    return { dataset, first, second: second ?? first, third: third ?? first };
  }

  /** Every change in the log, in its order. */
  async function listed({ log, follower }: DatasetProcess): Promise<Change[]> {
    const positions = Array.from({ length: follower.position }, (_, before) => before + 1);
    const entries = await Promise.all(positions.map((position) => log.read(position)));
    return entries.flatMap((entry) => (entry?.kind === 'changes' ? entry.changes : []));
  }

  test('a write is in the log when it returns, with its record', async () => {
    const { first, second } = await declared(2);
    const { position, change, state } = await first.writer.write(first.put('1', 'a'));
    expect((await first.log.read(position))?.kind).toBe('changes');
    expect(await first.records.get('1', 1)).toEqual(change);
    await second.follower.catchUp();
    expect(second.replica.latest('1')).toEqual(state);
  });

  test('writes that come at once share log entries', async () => {
    const { first } = await declared();
    await Promise.all(Array.from({ length: 200 }, (_, n) => first.writer.write(first.put(String(n + 1), `w${n}`))));
    expect(Object.keys(wordsOf(first))).toHaveLength(200);
    expect(first.follower.position).toBeLessThan(20);
  });

  test('of fifty writers of one version one wins; the others get a conflict', async () => {
    const { first, second, third } = await declared(3);
    await first.writer.write(first.put('7', 'start'));
    const race = Array.from({ length: 50 }, (_, n) => {
      const each = [first, second, third][n % 3] ?? first;
      return each.writer.write(each.put('7', `w${n}`, 1)).then(
        () => 'won',
        (err: { code: string }) => err.code,
      );
    });
    await second.follower.catchUp();
    const outcomes = await Promise.all(race);
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['won', 'write.precondition']));
    expect(first.replica.latest('7')?.version).toBe(2);
  });

  test('blind writers of one entity all get through, each on the state before', async () => {
    const { first, second } = await declared(2);
    await Promise.all([first, second, first, second].map((each, n) => each.writer.write(each.put('7', `w${n}`))));
    await first.follower.catchUp();
    expect(first.replica.latest('7')?.version).toBe(4);
  });

  test('a record that a dead writer left out of the log is completed by the next writer of that entity', async () => {
    const { dataset, first } = await declared();
    const dying = openProcess(without(database, 'log', 'insert'), dataset);
    await dying.follower.catchUp();
    await expect(dying.writer.write(dying.put('1', 'left over'))).rejects.toThrow('the process died here');
    const { state } = await first.writer.write(first.put('1', 'next'));
    expect(state?.version).toBe(2);
    const reader = openProcess(database, dataset);
    await reader.follower.catchUp();
    expect(wordsOf(reader)).toEqual({ 1: [2, 'next'] });
    expect((await reader.records.get('1', 1))?.body).toContain('left over');
  });

  test('changes that found no database come into the log with the next one, also those that waited', async () => {
    const { dataset } = await declared();
    let isAway = true;
    const flaky: Database = {
      ...database,
      table: <R extends Row>(name: string): Table<R> => {
        const table = database.table<R>(name);
        if (name !== collections.streams) return table;
        const insert = async (row: R) => {
          if (!isAway) return table.insert(row);
          await sleep(5); // the others come meanwhile
          throw new SlipwayError('unavailable', 'away');
        };
        return { ...table, insert };
      },
    };
    const writing = openProcess(flaky, dataset);
    await writing.follower.catchUp();
    const writes = await Promise.allSettled(['1', '2', '3'].map((id) => writing.writer.write(writing.put(id, 'late'))));
    expect(writes).toMatchObject(writes.map(() => ({ reason: { code: 'unavailable' } })));
    isAway = false;
    await writing.writer.write(writing.put('4', 'next'));
    expect(wordsOf(writing)).toEqual({ 1: [1, 'late'], 2: [1, 'late'], 3: [1, 'late'], 4: [1, 'next'] });
  });

  test('a third completes what was left over while two writers go on', async () => {
    const { dataset, first, second, third } = await declared(3);
    const dying = openProcess(without(database, 'log', 'insert'), dataset);
    await dying.follower.catchUp();
    await expect(dying.writer.write(dying.put('1', 'left over'))).rejects.toThrow();
    const left = await third.records.get('1', 1);
    if (!left) throw new Error('there is no record');
    await Promise.all([
      third.writer.complete(left),
      first.writer.write(first.put('1', 'a')),
      second.writer.write(second.put('1', 'b')),
    ]);
    for (const each of [first, second, third]) await each.follower.catchUp();
    expect(wordsOf(first)).toEqual(wordsOf(second));
    expect(wordsOf(first)).toEqual(wordsOf(third));
    expect(first.replica.latest('1')?.version).toBe(3);
    expect((await listed(first)).map(({ version }) => version)).toEqual([1, 2, 3]);
  });

  test('a call that is repeated because its answer was lost is not made twice', async () => {
    const { dataset, first } = await declared();
    const call = (word: string) => ({ ...first.put('1', word, 0), key: 'same call' });
    const once = await first.writer.write(call('a'));
    const again = await first.writer.write(call('a'));
    expect(again.change).toEqual(once.change);
    const other = openProcess(without(database, 'log', 'insert'), dataset);
    await other.follower.catchUp();
    const lost = { ...other.put('2', 'b', 0), key: 'call whose process died' };
    await expect(other.writer.write(lost)).rejects.toThrow();
    const { change } = await first.writer.write({ ...first.put('2', 'b', 0), key: lost.key });
    expect(change).toEqual(await first.records.get('2', 1));
    expect(wordsOf(first)).toEqual({ 1: [1, 'a'], 2: [1, 'b'] });
  });

  test('a write that a new declaration overtakes is refused and not counted', async () => {
    const { first, second } = await declared(2);
    await second.follower.append(() => declare(2));
    await expect(first.writer.write(first.put('1', '2nd'))).rejects.toMatchObject({ code: 'dataset.schema_conflict' });
    expect(wordsOf(first)).toEqual({ 1: [1, null] });
    expect(await listed(first)).toMatchObject([{ id: '1', version: 1, refused: true }]);
    await expect(first.writer.write(first.put('1', 'fine'))).resolves.toMatchObject({ state: { version: 2 } });
  });

  test('time of an entity never goes back', async () => {
    const { dataset, first } = await declared();
    const { state } = await first.writer.write(first.put('1', 'a'));
    const late = openProcess(database, dataset, { now: () => new Date('2020-01-01T00:00:00Z') });
    await late.follower.catchUp();
    expect((await late.writer.write(late.put('1', 'b'))).state?.at).toBe(state?.at);
  });
}
