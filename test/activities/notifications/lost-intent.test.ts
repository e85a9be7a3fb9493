import { expect, onTestFinished, test } from 'vitest';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { collections } from '../../../platform/stores/collections.js';
import type { Database, Row } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { openReceiver, openScene } from './notification-scene.js';

const LOST = new SlipwayError('unavailable', 'the database does not answer');

/** A database that loses the first answers to writes of attempts; `stores`: it does what they ask for. */
function losing(database: Database, answers: number, stores: boolean): Database {
  let left = answers;
  return {
    ...database,
    table: <R extends Row>(name: string) => {
      const table = database.table<R>(name);
      if (name !== collections.attempts) return table;
      const insertAll = async (rows: readonly R[]) => {
        if (left === 0) return table.insertAll(rows);
        left -= 1;
        if (stores) await table.insertAll(rows);
        throw LOST;
      };
      return { ...table, insertAll };
    },
  };
}

test.each([
  ['is stored', true],
  ['is not stored', false],
])('an unconfirmed intent that %s is no doubt: the delivery goes out and is not held', async (_, stores) => {
  const receiver = await openReceiver();
  const scene = openScene(losing(createMemoryDatabase(), 3, stores));
  onTestFinished(() => Promise.all([receiver.close(), scene.close()]).then(() => undefined));
  await scene.subscribe({ url: receiver.url, on_ambiguous: 'hold', schedule: [0, 0] });
  await scene.write(scene.change('1', 'Open'));
  await scene.drain();
  const { attempts } = await scene.ledger.read({ subscription: scene.id, sequence: 1 });
  expect(attempts.map(({ end }) => end?.outcome)).toEqual(['not_sent', 'confirmed']);
  expect(receiver.received).toHaveLength(1);
  expect(await scene.progress.get(scene.id)).toMatchObject({ counts: { held: 0, delivered: 1 } });
});
