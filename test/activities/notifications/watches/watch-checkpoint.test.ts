import { afterEach, expect, test } from 'vitest';
import { createDatasetWatches } from '../../../../activities/notifications/watches/dataset-watches.js';
import { createDatasetWatchSource } from '../../../../activities/notifications/watches/dataset-watch-source.js';
import { restoreCheckpoint, toCheckpoint } from '../../../../activities/notifications/watches/watch-checkpoint.js';
import type { Watch } from '../../../../notifications/kinds/watch.js';
import { createWatchCheckpoints } from '../../../../notifications/stores/watch-checkpoints.js';
import { openWatchScene, type WatchScene } from './watch-scene.js';

const scenes: WatchScene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.stop()));
});

/** Opens three open positions, and evaluators' states that initialize watches on them. */
async function open() {
  const scene = await openWatchScene();
  scenes.push(scene);
  for (const id of [1, 2, 3]) {
    scene.at(id);
    await scene.put(id, { status: 'Open' });
  }
  const source = createDatasetWatchSource(scene.datasets, 'positions');
  const initialize = async (...watches: Watch[]) => {
    const state = createDatasetWatches();
    for (const watch of watches) {
      const emit = state.emitterOf(watch.id);
      const begun = await source.initialize(watch, { position: scene.follower.position, emit, beat: () => undefined });
      if (begun === undefined) throw new Error('the dataset is there');
      const { declared, ...rest } = begun;
      state.resume({ declared, token: 'tok' });
      state.add({ watch, ...rest });
    }
    return state;
  };
  const save = async (from: Awaited<ReturnType<typeof initialize>>) => {
    const checkpoints = createWatchCheckpoints({ objects: scene.objects });
    await checkpoints.put('positions', toCheckpoint(from, { position: scene.follower.position, at: 'now' }));
    const saved = await checkpoints.read('positions');
    if (saved === undefined) throw new Error('it was saved');
    return saved;
  };
  const restore = async (saved: Awaited<ReturnType<typeof save>>, ...watches: Watch[]) => {
    const into = createDatasetWatches();
    restoreCheckpoint(saved, { watches, source, into });
    return into;
  };
  return { ...scene, source, initialize, save, restore };
}
type State = ReturnType<typeof createDatasetWatches>;
const viewsOf = (state: State, { id }: Watch) =>
  [1n, 2n, 3n].map((entity) => state.active.get(id)?.machine.view(entity));

test('a restored state is the one that was saved: gaps, position, declaration and token', async () => {
  const { watch, initialize, save, restore, follower } = await open();
  const [one, two] = [watch(), watch({ scope: { dataset: 'positions', filter: null, entity: '2' } })];
  const before = await initialize(one, two);
  const after = await restore(await save(before), one, two);
  for (const each of [one, two]) expect(viewsOf(after, each)).toEqual(viewsOf(before, each));
  expect(after.active.get(one.id)?.position).toBe(follower.position);
  expect(after.state).toEqual(before.state);
  expect(after.nextDue()).toBe(before.nextDue());
});

test('a state that was restored emits what the saved one would have emitted, once', async () => {
  const { watch, initialize, save, restore, start } = await open();
  const wanted = watch();
  const before = await initialize(wanted);
  before.advance(start + 11.5 * 60_000);
  const emitted = (state: State) => state.queue.size;
  expect(emitted(before)).toBe(1); // the first one is due after ten minutes
  const after = await restore(await save(before), wanted);
  after.advance(start + 11.5 * 60_000);
  expect(emitted(after)).toBe(0);
  after.advance(start + 30 * 60_000);
  expect(emitted(after)).toBe(2);
});

test('a watch whose scope changed is left out, and the parts of the others stay where they are', async () => {
  const { watch, initialize, save, restore } = await open();
  const [one, two, three] = [watch(), watch(), watch({ scope: { dataset: 'positions', filter: 'status == Open' } })];
  const before = await initialize(one, two, three);
  const saved = await save(before);
  const changed: Watch = { ...two, spec: watch({ scope: { dataset: 'positions', filter: 'rate > 1' } }).spec };
  const after = await restore(saved, one, changed, three);
  expect([...after.active.keys()]).toEqual([one.id, three.id]);
  expect(viewsOf(after, three)).toEqual(viewsOf(before, three));
});

test.each([
  ['was removed', (): Watch[] => []],
  ['was created again under its id', (watch: Watch): Watch[] => [{ ...watch, uid: 'another' }]],
])('a watch that %s is not restored', async (_, change) => {
  const { watch, initialize, save, restore } = await open();
  const one = watch();
  const after = await restore(await save(await initialize(one)), ...change(one));
  expect(after.active.size).toBe(0);
});

test('settings that gaps do not depend on are those of now: period and pause', async () => {
  const { watch, initialize, save, restore, start } = await open();
  const one = watch();
  const saved = await save(await initialize(one));
  const longer: Watch = { ...one, spec: { ...one.spec, period: 'PT1H' } };
  const after = await restore(saved, longer);
  expect(after.nextDue()).toBe(start + 61 * 60_000);
  const paused: Watch = {
    ...one,
    status: { ...one.status, state: 'paused' },
    spec: { ...one.spec, on_resume: 'skip' },
  };
  const silent = await restore(saved, paused);
  silent.advance(start + 600 * 60_000);
  expect(silent.queue.size).toBe(0);
});

test('without watches there is nothing but the place in the log', async () => {
  const { initialize, save, restore, follower } = await open();
  const saved = await save(await initialize());
  expect(saved).toMatchObject({ position: follower.position, watches: [], gaps: Buffer.alloc(0) });
  expect((await restore(saved)).active.size).toBe(0);
});
