import { expect, test } from 'vitest';
import { createDeploymentStatus } from '../../../activities/deployment/deployment-status.js';
import type { Deployment } from '../../../lifecycle/kinds/deployment.js';
import type { Revision } from '../../../lifecycle/kinds/revision.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { newDeployment } from '../shared/resources.js';

const NOW = '2026-02-11T09:30:12.114Z';

async function open(more: Partial<Deployment> = {}) {
  const deployments = createResources<Deployment>({ database: createMemoryDatabase(), kind: 'ModelDeployment' });
  const { id, uid, generation } = await deployments.insert({ ...newDeployment('wine'), ...more });
  const status = createDeploymentStatus({ deployments, now: () => new Date(NOW) });
  const read = async () => {
    const found = await deployments.get(id);
    if (found === undefined) throw new Error('the deployment is gone');
    return found;
  };
  return { ...status, deployments, ref: { id, uid, generation }, read };
}

test('a change of the state is one more transition, with its time', async () => {
  const { record, ref, read } = await open();
  await record(ref, { state: 'Ready', availableReplicas: 2 });
  const { status } = await read();
  expect(status).toMatchObject({ state: 'Ready', availableReplicas: 2, lastUpdatedTime: NOW });
  expect(status.transitions.slice(1)).toEqual([{ state: 'Ready', at: NOW }]);
});

test.each([
  ['facts without a state', { replicas: 3 }],
  ['the same state', { state: 'Processing' as const, replicas: 3 }],
])('%s are no transition', async (_, patch) => {
  const { record, ref, read } = await open();
  await record(ref, patch);
  expect((await read()).status).toMatchObject({ replicas: 3, transitions: [{ state: 'Processing' }] });
});

test('the newest fifty transitions are kept', async () => {
  const { record, ref, read } = await open();
  for (let count = 0; count < 30; count += 1) {
    await record(ref, { state: 'Ready' });
    await record(ref, { state: 'Processing' });
  }
  const { transitions } = (await read()).status;
  expect([transitions.length, transitions.at(-1)?.state]).toEqual([50, 'Processing']);
});

test.each([
  ['another generation', { generation: 2 }, {}],
  ['another deployment of the same id', { uid: 'other' }, {}],
  ['a deployment that is marked for deletion', {}, { deletionMark: true }],
])('%s is left as it is', async (_, other, more) => {
  const { record, ref, read } = await open(more);
  const before = await read();
  await record({ ...ref, ...other }, { state: 'Ready' });
  expect(await read()).toEqual(before);
});

test('a deployment that is gone is no error', async () => {
  const { record, recordServing, ref, deployments } = await open();
  await deployments.remove(ref.id);
  await record(ref, { state: 'Ready' });
  await recordServing(ref, undefined);
  expect(await deployments.get(ref.id)).toBeUndefined();
});

const serving = (generation: number, image = 'wine:1') => ({ ref: { generation }, image }) as unknown as Revision;

test('the serving revision is written once for each generation, also for an older one', async () => {
  const { recordServing, ref, read } = await open();
  await recordServing(ref, serving(7));
  const { revision } = await read();
  await recordServing(ref, serving(7, 'wine:other'));
  expect(await read()).toMatchObject({ revision, serving: { image: 'wine:1' } });
  await recordServing({ ...ref }, serving(6));
  expect((await read()).serving?.ref.generation).toBe(6);
  await recordServing(ref, undefined);
  expect((await read()).serving).toBeUndefined();
});

test.each([
  ['another deployment of the same id', { uid: 'other' }, {}],
  ['a deployment that is marked for deletion', {}, { deletionMark: true }],
])('%s serves nothing new', async (_, other, more) => {
  const { recordServing, ref, read } = await open(more);
  await recordServing({ ...ref, ...other }, serving(1));
  expect((await read()).serving).toBeUndefined();
});
