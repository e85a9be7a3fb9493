import { expect, onTestFinished, test } from 'vitest';
import { createEventMatcher } from '../../../notifications/events/event-matcher.js';
import { createLogTails } from '../../../notifications/stores/log-tails.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createLogRetention } from '../../../platform/stores/log-retention.js';
import { createEventLookout } from '../../../workers/compose/event-lookout.js';
import { until } from '../../stack/scratch.js';
import { openScene } from '../../activities/notifications/notification-scene.js';

/** A dataset log, and a lookout over it that writes down what it finds as `<subscription> <position>`. */
function open() {
  const scene = openScene();
  const { dataset, database } = scene;
  const tails = createLogTails({ database });
  const faults = { reads: 0 };
  const read: typeof tails.read = (stream, position) => {
    if (faults.reads === 0) return tails.read(stream, position);
    faults.reads -= 1;
    return Promise.reject(new SlipwayError('unavailable', 'the database is away'));
  };
  const found: string[] = [];
  const errors: [unknown, string | undefined][] = [];
  const lookout = createEventLookout({
    tails: { ...tails, read },
    retryMs: 5,
    onEvent: (id, { position }) => void found.push(`${id} ${position}`),
    onError: (err, id) => void errors.push([err, id]),
  });
  onTestFinished(async () => {
    await lookout.stop();
    await tails.stop();
    await scene.close();
  });
  const matcherOf = (types: string[], filter: string | null = null) =>
    createEventMatcher({ id: 'sub', spec: { types, filter, payload: 'full' }, status: { declarations: {} } });
  return {
    ...{ ...scene, lookout, found, errors, faults },
    add: (id: string, position: number, types = [`dataset.${dataset}.*`]) =>
      lookout.add(id, matcherOf(types), { [dataset]: { position, index: 0 } }),
    addBroken: (id: string) =>
      lookout.add(
        id,
        Object.assign(matcherOf([`dataset.${dataset}.*`]), {
          matches: () => {
            throw new TypeError('a bug');
          },
        }),
        { [dataset]: { position: 0, index: 0 } },
      ),
    open: (...entities: string[]) => scene.write(...entities.map((entity) => scene.change(entity, 'Open'))),
    settle: () => new Promise((resolve) => setTimeout(resolve, 50)),
    purge: (before: number) => {
      const log = scene.log as Parameters<typeof createLogRetention>[0]['log'];
      return createLogRetention({ database, log, stream: dataset }).purge({ before, olderThan: '9999' });
    },
  };
}

test('each subscription gets the events after its own position, and of its own types', async () => {
  const { add, open: write, found, dataset } = open();
  await write('1');
  await write('2');
  await add('behind', 0);
  await add('current', 2);
  await add('other', 0, [`dataset.${dataset}.deleted`]);
  await write('3');
  await until(() => found.includes('current 3') && found.includes('behind 3'));
  expect(found.toSorted()).toEqual(['behind 1', 'behind 2', 'behind 3', 'current 3']);
});

test('one that comes later and is behind reads what it lacks; the others get nothing twice', async () => {
  const { add, open: write, found } = open();
  await add('first', 0);
  await write('1');
  await write('2');
  await until(() => found.includes('first 2'));
  await add('late', 1);
  await until(() => found.includes('late 2'));
  expect(found).toEqual(['first 1', 'first 2', 'late 2']);
});

test('one that is removed gets nothing more', async () => {
  const { add, lookout, open: write, found } = open();
  await add('gone', 0);
  await add('stays', 0);
  lookout.remove('gone');
  await write('1');
  await until(() => found.includes('stays 1'));
  expect(found).toEqual(['stays 1']);
});

test('an entry that cannot be matched is reported, and its subscription gets it: its drain shows what is wrong', async () => {
  const { add, addBroken, open: write, found, errors } = open();
  await addBroken('broken');
  await add('well', 0);
  await write('1');
  await until(() => found.length === 2);
  expect(found.toSorted()).toEqual(['broken 1', 'well 1']);
  expect(errors).toEqual([[expect.any(TypeError), 'broken']]);
});

test('an entry that cannot be read for a moment is read again, also when no other one follows', async () => {
  const { add, open: write, found, errors, faults } = open();
  await add('one', 0);
  faults.reads = 2;
  await write('1');
  await until(() => found.includes('one 1'));
  expect([errors.length, faults.reads]).toEqual([2, 0]);
});

test('entries that are gone concern those that have not read them, and reading goes on behind them', async () => {
  const { add, open: write, found, purge } = open();
  for (const entity of ['1', '2', '3', '4']) await write(entity);
  expect(await purge(4)).toBe(3);
  await add('behind', 0);
  await add('current', 3);
  await until(() => found.includes('behind 4') && found.includes('current 4'));
  expect(found.toSorted()).toEqual(['behind 3', 'behind 4', 'current 4']);
});

test('after the stop nothing is read', async () => {
  const { add, lookout, open: write, found, settle } = open();
  await add('one', 0);
  await lookout.stop();
  await write('1');
  await settle();
  expect(found).toEqual([]);
});
