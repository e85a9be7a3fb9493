import { afterEach, expect, test } from 'vitest';
import { initializeWatch } from '../../../../activities/notifications/watches/initialize-watch.js';
import type { GapEvent } from '../../../../notifications/watches/gap-machine.js';
import { observesDataset, THE_SET } from '../../../../notifications/watches/observer.js';
import { openWatchScene, type WatchScene } from './watch-scene.js';

const scenes: WatchScene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.stop()));
});

/** Opens a dataset and initializes watches on it; times are minutes from the start. */
async function open() {
  const scene = await openWatchScene();
  scenes.push(scene);
  const { dataset, declaration } = scene.datasets.get('positions');
  const events: GapEvent[] = [];
  let beats = 0;
  const initialize = async (settings: object = {}) => {
    const watch = scene.watch({ period: 'PT10M', ...settings });
    if (!observesDataset(watch.spec)) throw new Error('the scene watches a dataset');
    const { machine, position } = await initializeWatch({
      ...{ watch, spec: watch.spec, dataset, declared: declaration.spec },
      emit: (event) => events.push(event),
      beat: () => (beats += 1),
    });
    const sinceOf = (id: number | bigint) => {
      const view = machine.view(BigInt(id));
      return view && [view.state, (view.since - scene.start) / 60_000, view.gap];
    };
    return { machine, position, sinceOf };
  };
  return { ...scene, dataset, initialize, events, beats: () => beats };
}

test('the entities in the scope are armed with their last change, and nothing is emitted', async () => {
  const { at, put, remove, initialize, events, beats, follower } = await open();
  await put(1, { status: 'Open' });
  await put(2, { status: 'Filled' });
  await put(3, { status: 'Open' });
  await remove(3);
  at(4);
  await put(1, { status: 'Open', rate: 1 });
  await put(4, { status: 'Open' });
  at(60);
  const { machine, sinceOf, position } = await initialize();
  expect([sinceOf(1), sinceOf(2), sinceOf(3), sinceOf(4)]).toEqual([
    ['armed', 4, 2],
    undefined,
    undefined,
    ['armed', 4, 1],
  ]);
  expect([machine.armed(), position, events]).toEqual([2, follower.position, []]);
  expect(beats()).toBeGreaterThan(0);
});

test('an empty dataset has no entity, and its machine never comes due', async () => {
  const { initialize } = await open();
  const { machine } = await initialize();
  expect([machine.armed(), machine.nextDue()]).toEqual([0, Infinity]);
});

test.each([
  ['last_change', ['armed', 0, 1]],
  ['creation', ['armed', 30, 1]],
  ['first_change', ['waiting', undefined, undefined]],
])('with arm_at %s a row that changed before the watch was created is %j', async (arm_at, [state, since, gap]) => {
  const { at, put, initialize } = await open();
  await put(1, { status: 'Open' });
  at(30);
  const { sinceOf } = await initialize({ arm_at });
  const found = sinceOf(1);
  expect(found?.[0]).toBe(state);
  if (since !== undefined) expect(found).toEqual([state, since, gap]);
});

test('only the changes of listed fields begin a gap: the history of the row is read back to them', async () => {
  const { at, put, initialize } = await open();
  await put(1, { status: 'Open', rate: 1 });
  at(1);
  await put(1, { status: 'Open', rate: 2 });
  at(2);
  await put(1, { status: 'Filled', rate: 2 });
  at(3);
  await put(1, { status: 'Open', rate: 2 });
  const counts = (fields: string[]) => ({ counts: { fields } });
  const everything = { dataset: 'positions', filter: null };
  const rate = await initialize({ ...counts(['rate']), scope: everything });
  expect(rate.sinceOf(1)).toEqual(['armed', 1, 2]);
  const status = await initialize({ ...counts(['status']), scope: everything });
  expect(status.sinceOf(1)).toEqual(['armed', 3, 4]);
  // It left the filter and came back: entering it begins the gap, although the listed field changed before.
  const entered = await initialize(counts(['rate']));
  expect(entered.sinceOf(1)).toEqual(['armed', 3, 4]);
});

test('a dwell counts from the change that began it; an entity that does not dwell waits', async () => {
  const { at, put, initialize } = await open();
  await put(1, { status: 'Filled', rate: 1 });
  await put(2, { status: 'Filled' });
  at(2);
  await put(1, { status: 'Open', rate: 1 });
  at(5);
  await put(1, { status: 'Open', rate: 9 });
  const { sinceOf } = await initialize({
    scope: { dataset: 'positions', filter: null },
    counts: { dwell: 'status == Open' },
  });
  expect(sinceOf(1)).toEqual(['armed', 2, 2]);
  expect(sinceOf(2)?.[0]).toBe('waiting');
});

test('a watch of the whole set takes the newest change of any entity in its scope', async () => {
  const { at, put, initialize } = await open();
  await put(1, { status: 'Open' });
  at(7);
  await put(2, { status: 'Open' });
  at(9);
  await put(3, { status: 'Filled' });
  const { machine, sinceOf } = await initialize({ each: 'set' });
  expect(machine.armed()).toBe(1);
  expect(sinceOf(THE_SET)?.slice(0, 2)).toEqual(['armed', 7]);
});

test('an empty set waits for a first change, or counts from the creation of the watch', async () => {
  const { at, initialize } = await open();
  at(3);
  const waiting = await initialize({ each: 'set' });
  expect(waiting.sinceOf(THE_SET)?.[0]).toBe('waiting');
  const counting = await initialize({ each: 'set', arm_at: 'creation' });
  expect(counting.sinceOf(THE_SET)).toEqual(['armed', 3, 0]);
});

test('a watch of one entity holds no other one', async () => {
  const { put, initialize } = await open();
  await put(1, { status: 'Open' });
  await put(2, { status: 'Open' });
  const { machine, sinceOf } = await initialize({ scope: { dataset: 'positions', filter: null, entity: '2' } });
  expect([machine.armed(), sinceOf(1), sinceOf(2)?.[0]]).toEqual([1, undefined, 'armed']);
});

test('rows that are replaced while it reads belong to the state at its position', async () => {
  const { at, put, initialize, follower, dataset } = await open();
  for (let id = 1; id <= 100; id += 1) await put(id, { status: 'Open' });
  at(8);
  const get = dataset.records.get.bind(dataset.records);
  let isChanged = false;
  // The first history that is read finds the dataset changed meanwhile.
  dataset.records.get = async (id, version) => {
    if (!isChanged) {
      isChanged = true;
      await put(100, { status: 'Filled' });
      await put(101, { status: 'Open' });
    }
    return get(id, version);
  };
  const { machine, position, sinceOf } = await initialize({ counts: { fields: ['rate'] } });
  dataset.records.get = get;
  expect(isChanged).toBe(true);
  expect([machine.armed(), sinceOf(100), sinceOf(101)]).toEqual([100, ['armed', 0, 1], undefined]);
  expect(position).toBeLessThan(follower.position);
});

test('a history that cannot be read fails the initialization', async () => {
  const { put, initialize, dataset } = await open();
  await put(1, { status: 'Open' });
  dataset.records.get = async () => {
    throw new Error('the database does not answer');
  };
  await expect(initialize({ counts: { fields: ['rate'] } })).rejects.toThrow('does not answer');
});
