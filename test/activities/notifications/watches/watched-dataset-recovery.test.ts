import { afterEach, expect, test } from 'vitest';
import { createDatabaseClock } from '../../../../platform/stores/database-clock.js';
import type { WatchedDatasetOptions } from '../../../../activities/notifications/watches/watched-dataset.js';
import { DatasetSpec } from '../../../../reference/dataset/dataset.js';
import { SlipwayError } from '../../../../platform/kinds/errors.js';
import { createDeclarations } from '../../../../reference/stores/declarations.js';
import { createWatchCheckpoints } from '../../../../notifications/stores/watch-checkpoints.js';
import { openWatchScene, type WatchScene } from './watch-scene.js';

const scenes: WatchScene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.stop()));
});
async function open(more: Partial<WatchedDatasetOptions> = {}): Promise<WatchScene> {
  const scene = await openWatchScene(more);
  scenes.push(scene);
  return scene;
}

test('after a kill over a deadline the next evaluator emits from the checkpoint what happened meanwhile', async () => {
  const { at, put, watch, evaluator, emitted } = await open({ checkpointMs: 0 });
  await put(1, { status: 'Open' });
  await put(2, { status: 'Open' });
  const wanted = watch();
  await evaluator().turn([wanted]);
  at(12);
  await put(1, { status: 'Open', rate: 1 });
  await put(2, { status: 'Filled' });
  at(40);
  const [one, other] = [evaluator(), evaluator()];
  await one.turn([wanted]);
  await other.turn([wanted]); // beside it, from the same checkpoint
  expect(await emitted()).toEqual([
    'watch.absent 1 10m',
    'watch.absent 2 10m',
    'watch.resumed 1 12m',
    'watch.absent 1 22m',
  ]);
});

test('two evaluators at once, and one that died before it published everything, emit each event once', async () => {
  const { at, put, watch, evaluator, emitted, away, errors } = await open();
  for (let id = 1; id <= 60; id += 1) await put(id, { status: 'Open' });
  const wanted = watch();
  const [dying, one, other] = [evaluator(), evaluator(), evaluator()];
  for (const each of [dying, one, other]) await each.turn([wanted]);
  at(11);
  expect(await dying.turn([wanted])).toBe(true); // fifty of sixty
  away.stream = true;
  await dying.turn([wanted]);
  expect(errors).toHaveLength(1);
  away.stream = false;
  while ((await Promise.all([one.turn([wanted]), other.turn([wanted])])).includes(true));
  expect((await emitted()).sort()).toEqual(Array.from({ length: 60 }, (_, n) => `watch.absent ${n + 1} 10m`).sort());
});

test('after a kill in its first turn the next evaluator emits everything since then', async () => {
  const { at, put, watch, evaluator, emitted } = await open();
  await put(1, { status: 'Open' });
  const wanted = watch();
  await evaluator().turn([wanted]);
  at(15);
  await put(1, { status: 'Open', rate: 1 });
  at(16);
  await evaluator().turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent 1 10m', 'watch.resumed 1 15m']);
});

test('evaluation continues while no checkpoint can be saved', async () => {
  const { at, put, watch, evaluator, emitted, objects, errors } = await open({ checkpointMs: 0 });
  await put(1, { status: 'Open' });
  const away = new SlipwayError('unavailable', 'object storage does not answer');
  const checkpoints = {
    ...createWatchCheckpoints({ objects }),
    put: async (): Promise<never> => Promise.reject(away),
  };
  const [wanted, watched] = [watch(), evaluator({ checkpoints })];
  await watched.turn([wanted]);
  at(11);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent 1 10m']);
  expect(watched.stateOf(wanted)).toMatchObject({ state: 'watching' });
  expect(errors).toEqual([away]); // asked again after a pause
});

test('a damaged checkpoint counts as none, and no event is emitted twice', async () => {
  const { at, put, watch, evaluator, emitted, objects } = await open({ checkpointMs: 0 });
  await put(1, { status: 'Open' });
  const wanted = watch();
  const watched = evaluator();
  await watched.turn([wanted]);
  at(11);
  await watched.turn([wanted]);
  await objects.put('watches/positions.gz', 'no zip');
  await evaluator().turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent 1 10m']);
});

test('an evaluator whose clock is an hour ahead emits nothing early, and does not move the time of the log', async () => {
  const { at, put, watch, evaluator, emitted, start, datasets } = await open();
  await put(1, { status: 'Open' });
  let minute = 0;
  const clock = createDatabaseClock(() => start + (minute + 60) * 60_000);
  const [wanted, watched] = [watch(), evaluator({ now: clock.now })];
  for (minute = 0; minute <= 10; minute += 2) {
    at(minute);
    clock.note(start + minute * 60_000);
    await watched.turn([wanted]);
    expect(await emitted()).toEqual([]);
  }
  const { follower } = datasets.get('positions').dataset;
  await follower.catchUp();
  expect(Date.parse(follower.at)).toBe(start);
  minute = 11;
  at(minute);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent 1 10m']);
});

test('events have the ETag of the row by the declaration in force, also after a checkpoint', async () => {
  const { at, put, watch, evaluator, emittedData, datasets } = await open();
  const [wanted, first] = [watch(), evaluator()];
  const etags = async (): Promise<unknown[]> => (await emittedData()).map(({ etag }) => etag);
  await put(1, { status: 'Open' });
  await first.turn([wanted]);
  await first.save();
  at(11);
  await evaluator().turn([wanted]);
  expect(await etags()).toEqual(['"1.1.0"']);
  const { spec } = datasets.get('positions').declaration;
  const wider = { ...spec, fields: { ...spec.fields, note: { type: 'text' } } };
  await createDeclarations({ datasets }).declare({
    ...{ name: 'positions', spec: DatasetSpec.parse(wider), actor: 'test', force: false },
  });
  await put(1, { status: 'Open', rate: 2 });
  at(30);
  await first.turn([wanted]);
  expect(await etags()).toEqual(['"1.1.0"', '"2.2.0"', '"2.2.0"']);
});
