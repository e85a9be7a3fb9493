import { afterEach, expect, test } from 'vitest';
import type { WatchedDatasetOptions } from '../../../../activities/notifications/watches/watched-dataset.js';
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
