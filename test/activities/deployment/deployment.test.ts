import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { startReplica } from '../../../activities/deployment/replica.js';
import { refused } from '../../../platform/engines/refusal.js';
import { collections } from '../../../platform/stores/collections.js';
import { newDeployment } from '../shared/resources.js';
import { newAttempt } from '../shared/environment.js';
import { attempt, startScene } from './deployment-scene.js';

test('what serves is noted, over a change of the deployment, until nothing serves', async () => {
  const { activities, deployments, id, uid, serve } = await startScene();
  const read = () => activities.readDeployment({ id, uid });
  expect(await read()).toEqual({ generation: 1, deleted: false });
  const first = await serve(1);
  expect(await read()).toEqual({ generation: 1, deleted: false, serving: first });
  await deployments.update(id, (current) => ({ ...current, generation: 2 }));
  expect(await read()).toEqual({ generation: 2, deleted: false, serving: first });
  const second = await serve(2);
  expect((await read()).serving).toEqual(second);
  await attempt(() => activities.withdrawEndpoint({ id, uid }));
  expect((await read()).serving).toBeUndefined();
});

const describing = (columns: readonly string[]): string => {
  const schema = { properties: { columns: { items: { enum: columns } } } };
  const requestBody = { content: { 'application/json': { schema } } };
  return JSON.stringify({ paths: { '/api/model/invoke': { post: { requestBody } } } });
};

test('a candidate with other input columns is not rolled out, unless the rollout allows it', async () => {
  const { activities, deployments, model, id, uid, serve } = await startScene();
  const next = (generation: number, rollout: object) =>
    deployments.update(id, (current) => ({
      ...{ ...current, generation },
      spec: { ...current.spec, rollout: { steps: [{ weight: 10, seconds: 1 }], onNoTraffic: 'hold', ...rollout } },
    }));
  const start = (generation: number) => attempt(() => activities.startRevision({ id, uid, generation }));
  model.info = describing(['a', 'b']);
  await serve(1);
  await next(2, {});
  await expect(start(2)).resolves.toMatchObject({ ref: { generation: 2 } });
  model.info = describing(['b', 'c']);
  await expect(start(2)).rejects.toThrow('it wants "c", and it does not have "a"; set rollout.allowSchemaChange');
  await next(3, { allowSchemaChange: true });
  await expect(start(3)).resolves.toMatchObject({ ref: { generation: 3 } });
  model.info = '{}';
  await next(4, {});
  await expect(start(4)).resolves.toMatchObject({ ref: { generation: 4 } });
});

test('every revision that was published is kept, whatever becomes of the deployment', async () => {
  const { deployments, lineage, id, uid, serve } = await startScene();
  await serve(1);
  await serve(1); // the activity is repeated
  await deployments.update(id, (current) => ({ ...current, generation: 2 }));
  const { imageId, imageDigest } = await serve(2);
  await deployments.remove(id);
  const steps = await lineage.steps();
  expect(steps).toMatchObject([1, 2].map((generation) => ({ kind: 'deployment', id, uid, generation })));
  expect(steps[1]?.uses).toMatchObject([{ kind: 'image', name: 'wine:1', digest: imageDigest, contentId: imageId }]);
});

test('a tag that moves is resolved once for each generation: replicas and labels are of one manifest', async () => {
  const { containers, deployments, engine, push, id, serve } = await startScene();
  const served = () => [...containers.values()].map(({ spec }) => spec.image);
  const [first, revision] = [push('first'), await serve(1)];
  expect((await deployments.get(id))?.status.imageDigest).toBe(first);
  const second = push('second');
  await startReplica(engine, revision, 1); // as the supervisor does
  expect(served()).toEqual([0, 1].map(() => `wine:1@${first}`));
  await deployments.update(id, (current) => ({ ...current, generation: 2 }));
  await serve(2);
  expect((await deployments.get(id))?.status.imageDigest).toBe(second);
  expect(served().at(-1)).toBe(`wine:1@${second}`);
});

test('an update that is overtaken while it is published is noted as what serves', async () => {
  const { activities, deployments, id, uid } = await startScene();
  const ref = { id, uid, generation: 1 };
  const revision = await attempt(() => activities.startRevision(ref));
  await deployments.update(id, (current) => ({ ...current, generation: 2 }));
  await attempt(() => activities.publishRevision(revision));
  expect(await activities.readDeployment({ id, uid })).toMatchObject({ generation: 2, serving: { ref } });
  expect((await deployments.get(id))?.status.state).toBe('Processing');
});

test('a resource of the id that was created again knows nothing of the old one', async () => {
  const { activities, deployments, id, uid, serve } = await startScene();
  await serve(1);
  await deployments.remove(id);
  const recreated = await deployments.insert(newDeployment(id));
  await attempt(() => activities.withdrawEndpoint({ id, uid }));
  expect(await activities.readDeployment({ id, uid: recreated.uid })).toEqual({ generation: 1, deleted: false });
  expect(await activities.readDeployment({ id, uid })).toEqual({ generation: 1, deleted: true });
});

test('replicas that were replaced answer on until every gateway has read the new route', async () => {
  const { activities, deployments, engine, routeReaders, id, uid, serve } = await startScene();
  await serve(1);
  await deployments.update(id, (current) => ({ ...current, generation: 2 }));
  await serve(2);
  await routeReaders.acknowledge('late', {});
  const generations = async () =>
    (await engine.find({ kind: 'deployment', id, uid })).map(({ labels }) => labels.generation);
  const retired = attempt(() => activities.retireReplicas({ id, uid, keep: 2 }));
  await sleep(300);
  expect(await generations()).toEqual(['1', '2']);
  await routeReaders.acknowledge('late', { [id]: 1 });
  await retired;
  expect(await generations()).toEqual(['2']);
});

test('one replica that cannot be removed does not keep the others', async () => {
  const { activities, deployments, engine, id, uid, serve } = await startScene();
  await deployments.update(id, (current) => ({ ...current, spec: { ...current.spec, minReplicas: 2 } }));
  await serve(1);
  await deployments.update(id, (current) => ({ ...current, generation: 2 }));
  await serve(2);
  const remove = engine.remove.bind(engine);
  const [stuck] = await engine.find({ kind: 'deployment', id, generation: '1' });
  engine.remove = (handle) => (handle.name === stuck?.name ? Promise.reject(new Error('stuck')) : remove(handle));
  await expect(attempt(() => activities.retireReplicas({ id, uid, keep: 2 }))).rejects.toThrow('stuck');
  expect((await engine.find({ kind: 'deployment', id, generation: '1' })).map(({ name }) => name)).toEqual([
    stuck?.name,
  ]);
});

test('a replica whose image the engine has lost gets it again, by its digest', async () => {
  const { activities, containers, engine, serve } = await startScene();
  const revision = await serve(1);
  const [create, ensureImage] = [engine.create.bind(engine), engine.ensureImage.bind(engine)];
  const pulled: string[] = [];
  engine.create = (spec) =>
    pulled.includes(spec.image)
      ? create(spec)
      : Promise.reject(refused('no such image', { reason: 'ImagePullFailed' }));
  engine.ensureImage = (image, ...access) => {
    pulled.push(image);
    return ensureImage(image, ...access);
  };
  await engine.remove({ name: [...containers.keys()][0] ?? '' });
  const environment = newAttempt();
  const supervised = environment.run(() => activities.superviseRevision(revision)).catch((err: unknown) => err);
  await vi.waitUntil(() => containers.size > 0, 60_000);
  environment.cancel('CANCELLED');
  await supervised;
  expect(pulled).toEqual([`wine:1@${revision.imageDigest}`]);
});

test('supervision writes a lost route again, and the resource only when something changes', async () => {
  const { activities, database, deployments, id, serve } = await startScene();
  const revision = await serve(1);
  const routes = database.table(collections.endpoint);
  const rows = async () => {
    const ids: string[] = [];
    for await (const { _id } of routes.scan()) ids.push(_id);
    return ids;
  };
  const until = async (isReached: () => Promise<boolean>) => {
    for (const deadline = performance.now() + 30_000; !(await isReached()); await sleep(2))
      if (performance.now() > deadline) throw new Error('waited in vain');
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  const environment = newAttempt();
  let polls = 0;
  environment.on('heartbeat', () => {
    polls += 1;
    vi.setSystemTime(Date.now() + 2_000);
  });
  const supervised = environment.run(() => activities.superviseRevision(revision)).catch(() => undefined);
  try {
    await until(async () => polls > 2);
    const before = await deployments.get(id);
    const [row = ''] = await rows();
    await routes.remove(row);
    await until(async () => (await rows()).includes(row));
    expect(await deployments.get(id)).toEqual(before);
  } finally {
    environment.cancel('CANCELLED');
    await supervised;
    vi.useRealTimers();
  }
});

test('a supervisor that a newer attempt of any step replaced ends by itself, before it hears of its cancellation', async () => {
  const { activities, deployments, id, uid, serve } = await startScene();
  const revision = await serve(1);
  vi.useFakeTimers({ toFake: ['Date'] });
  const old = newAttempt({ currentAttemptScheduledTimestampMs: 2 });
  old.on('heartbeat', () => vi.setSystemTime(Date.now() + 1_000));
  try {
    const supervised = old.run(() => activities.superviseRevision(revision)).catch((err: unknown) => err);
    await deployments.update(id, (current) => ({ ...current, generation: 2 }));
    const newer = newAttempt({ currentAttemptScheduledTimestampMs: 3 });
    await newer.run(async () => activities.publishRevision(await activities.startRevision({ id, uid, generation: 2 })));
    expect(await supervised).toMatchObject({ code: 'conflict' });
    expect(await activities.readDeployment({ id, uid })).toMatchObject({ serving: { ref: { generation: 2 } } });
  } finally {
    old.cancel('CANCELLED');
    vi.useRealTimers();
  }
});
