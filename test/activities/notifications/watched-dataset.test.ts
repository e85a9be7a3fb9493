import { afterEach, expect, test } from 'vitest';
import type { WatchedDatasetOptions } from '../../../activities/notifications/watched-dataset.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { createWatchCheckpoints } from '../../../notifications/stores/watch-checkpoints.js';
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

test('an entity that does not change in time emits one event, also in a silent log', async () => {
  const { at, put, watch, evaluator, emitted, follower, log } = await open();
  await put(1, { status: 'Open' });
  await put(2, { status: 'Filled' });
  const [wanted, watched] = [watch(), evaluator()];
  await watched.turn([wanted]);
  expect(watched.stateOf(wanted)).toMatchObject({ state: 'watching', armed: 1, position: follower.position });
  at(10);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual([]); // a change at this moment would be in time
  at(10.1);
  await watched.turn([wanted]);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent 1 10m']);
  expect(await log.read(follower.position)).not.toMatchObject({ kind: 'heartbeat' });
  await follower.catchUp();
  expect(await log.read(follower.position)).toMatchObject({ kind: 'heartbeat' });
});

test('a change resumes an entity and begins the next gap; entering the filter begins one too', async () => {
  const { at, put, watch, evaluator, emitted } = await open();
  await put(1, { status: 'Open' });
  const [wanted, watched] = [watch(), evaluator()];
  await watched.turn([wanted]);
  at(15);
  await put(1, { status: 'Open', rate: 2 });
  await put(2, { status: 'Open' });
  await watched.turn([wanted]);
  at(26);
  await put(1, { status: 'Filled' });
  await watched.turn([wanted]);
  expect(await emitted()).toEqual([
    'watch.absent 1 10m',
    'watch.resumed 1 15m',
    'watch.absent 1 25m',
    'watch.absent 2 25m',
  ]);
});

test('a watch whose log does not move is unknown, and emits no absence', async () => {
  const { at, put, watch, evaluator, emitted, away } = await open();
  await put(1, { status: 'Open' });
  const [wanted, watched] = [watch(), evaluator()];
  await watched.turn([wanted]);
  away.log = true;
  at(9);
  await put(1, { status: 'Open', rate: 2 }); // another process still reaches the database
  at(30);
  await watched.turn([wanted]);
  expect(watched.stateOf(wanted)).toMatchObject({ state: 'unknown', note: 'the log does not move: unavailable' });
  expect(await emitted()).toEqual([]);
  at(18);
  away.log = false;
  await watched.turn([wanted]);
  expect(watched.stateOf(wanted)).toMatchObject({ state: 'watching' });
  at(20);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent 1 19m']);
});

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

test('only listed fields count, also before the watch began', async () => {
  const { at, put, watch, evaluator, emitted } = await open();
  await put(1, { status: 'Open', rate: 1 });
  at(3);
  await put(1, { status: 'Open', rate: 2 });
  at(6);
  const wanted = watch({ counts: { fields: ['status'] } });
  const watched = evaluator();
  await watched.turn([wanted]);
  await put(1, { status: 'Open', rate: 3 });
  at(11);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent 1 10m']);
});

test('changes that an import holds back count at its release, and never when it is discarded', async () => {
  const { at, put, watch, evaluator, emitted, follower, datasets } = await open();
  await put(1, { status: 'Open' });
  await put(2, { status: 'Open' });
  const [wanted, watched] = [watch({ closed_notice: true }), evaluator()];
  await watched.turn([wanted]);
  const { dataset } = datasets.get('positions');
  const held = async (id: string, body: string | null) => {
    const version = (dataset.replica.latest(id)?.version ?? 0) + 1;
    const time = new Date(Date.parse(follower.at)).toISOString();
    const change = { id, version, at: time, body, previous: '{"status":"Open"}', actor: 'test', schema: 1, commit: id };
    await follower.append(() => ({ kind: 'changes', changes: [change] }));
  };
  at(4);
  await follower.append(() => ({ kind: 'hold', import: 'imp_1' }));
  await held('1', null);
  at(8);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual([]);
  await follower.append(() => ({ kind: 'release', import: 'imp_1' }));
  await follower.append(() => ({ kind: 'hold', import: 'imp_2' }));
  await held('2', null);
  at(9);
  await follower.append(() => ({ kind: 'discard', import: 'imp_2' }));
  at(11);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual(['watch.closed 1 8m', 'watch.absent 2 10m']);
});

test('a pause, an edit and a removal take effect in the next turn', async () => {
  const { at, put, watch, evaluator, emitted } = await open();
  await put(1, { status: 'Open' });
  const [wanted, watched] = [watch(), evaluator()];
  await watched.turn([wanted]);
  const paused = { ...wanted, revision: 2, status: { ...wanted.status, state: 'paused' as const } };
  at(11);
  await watched.turn([paused]);
  expect(await emitted()).toEqual([]);
  const longer = { ...wanted, revision: 3, spec: { ...wanted.spec, period: 'PT20M' } };
  await watched.turn([longer]);
  expect(watched.stateOf(longer)).toMatchObject({ next_due_at: '2026-02-11T00:20:00.000Z' });
  at(21);
  await watched.turn([]);
  expect(await emitted()).toEqual([]);
  expect(watched.stateOf(longer)).toMatchObject({ state: 'arming', armed: 0 });
});

test('another filter rebuilds the state, and repeats no event', async () => {
  const { at, put, watch, evaluator, emitted } = await open();
  await put(1, { status: 'Open' });
  at(5);
  await put(2, { status: 'Filled' });
  const [wanted, watched] = [watch(), evaluator()];
  at(11);
  await watched.turn([wanted]);
  const scope = { ...wanted.spec.scope, filter: null };
  await watched.turn([{ ...wanted, revision: 2, spec: { ...wanted.spec, scope } }]);
  await watched.turn([{ ...wanted, revision: 2, spec: { ...wanted.spec, scope } }]);
  at(16);
  await watched.turn([{ ...wanted, revision: 2, spec: { ...wanted.spec, scope } }]);
  expect(await emitted()).toEqual(['watch.absent 1 10m', 'watch.absent 2 15m']);
});

test('in a set any change counts for all', async () => {
  const { at, put, watch, evaluator, emitted, start, follower } = await open();
  await put(1, { status: 'Open' });
  at(5);
  await put(2, { status: 'Open' });
  const [wanted, watched] = [watch({ each: 'set' }), evaluator()];
  await watched.turn([wanted]);
  at(14);
  await put(1, { status: 'Filled' });
  const gap = follower.position;
  await put(3, { status: 'Filled' });
  at(23);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual([]);
  const since = start + 14 * 60_000;
  expect(watched.stateOf(wanted)).toMatchObject({ set: { state: 'armed', gap, since } });
  at(25);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual(['watch.absent set 24m']);
  expect(watched.stateOf(wanted)).toMatchObject({ set: { state: 'absent', gap, since } });
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

test('an entity that is deleted is closed, and one that never changed is armed from the creation of the watch', async () => {
  const { at, put, remove, watch, evaluator, emitted } = await open();
  await put(1, { status: 'Open' });
  await put(2, { status: 'Open' });
  at(8);
  const [wanted, watched] = [watch({ arm_at: 'creation', closed_notice: true }), evaluator()];
  await watched.turn([wanted]);
  at(12);
  await remove(2);
  at(19);
  await watched.turn([wanted]);
  expect(await emitted()).toEqual(['watch.closed 2 12m', 'watch.absent 1 18m']);
});

test('an evaluator whose clock is an hour ahead emits nothing early, and does not move the time of the log', async () => {
  const { at, put, watch, evaluator, emitted, start, datasets } = await open();
  await put(1, { status: 'Open' });
  let minute = 0;
  const ahead = (): Date => new Date(start + (minute + 60) * 60_000);
  const [wanted, watched] = [watch(), evaluator({ now: ahead })];
  for (minute = 0; minute <= 10; minute += 2) {
    at(minute);
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
