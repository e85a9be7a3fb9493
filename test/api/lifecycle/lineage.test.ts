import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Frame } from '../../../gateway/frame.js';
import type { LineageStep } from '../../../lifecycle/kinds/lineage.js';
import { createLineageLog } from '../../../lifecycle/stores/lineage.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createRecordIndex } from '../../../lifecycle/stores/record-index.js';
import { createEndpoints } from '../../../lifecycle/stores/stored-endpoints.js';
import { feedback, recordFrames } from '../../gateway/recording.js';
import { AT, startStory } from './lineage-story.js';
import { startTestApi, type TestApi } from '../test-api.js';

const objects = createMemoryObjects();
const database = createMemoryDatabase();
const lineage = createLineageLog({ database });
const endpoints = createEndpoints({ database });
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ lineage, endpoints, recordIndex: createRecordIndex({ objects }) });
});
afterAll(() => api.stop());

interface Node {
  key: string;
  kind: string;
  id: string;
  facts: Record<string, unknown>;
}
const keep = async (steps: readonly LineageStep[]) => {
  for (const step of steps) await lineage.keep(step);
};
const record = (...frames: Frame[]) => recordFrames(objects, frames);
const get = (path: string) => api.call('GET', `/api/v1/lineage/${path}`, { as: ['viewer'] });
const read = async (path: string) => {
  const { status, body } = await get(path);
  expect([path, status]).toEqual([path, 200]);
  const nodes: Node[] = body.nodes;
  const ids = nodes.map(({ kind, id }) => `${kind} ${id}`);
  return { ...body, ids, node: (kind: string) => nodes.find((each) => each.kind === kind) };
};

test('a request id leads to the commit, the data, the parameters, the metrics, the artifact and the image', async () => {
  const wine = startStory('wine')(1);
  await keep(wine.steps);
  await endpoints.put(wine.endpoint, 1);
  await record(wine.call('request 1/2'), wine.call('other'));
  await record(feedback({ at: AT + 1_000, requestId: 'request 1/2', json: '{}' }));
  const { node, edges, root, truncated } = await read(`request/${encodeURIComponent('request 1/2')}`);
  expect([root, truncated]).toEqual([['request/request 1/2'], false]);
  const model = { modelName: 'wine', modelVersion: '1' };
  expect(node('request')?.facts).toEqual({
    calls: [{ at: '2026-11-20T12:00:00.000Z', deployment: 'wine', generation: 1, imageId: wine.imageId, ...model }],
    feedback: [{ at: '2026-11-20T12:00:01.000Z', ...model }],
  });
  expect(node('deployment')?.facts).toMatchObject({ serving: true, traffic: { calls: 2, feedback: 1 }, ...model });
  expect(node('image')).toMatchObject({ id: wine.imageDigest, facts: { name: 'r/wine:1', imageId: wine.imageId } });
  expect(node('packaging')?.facts).toMatchObject({ integration: 'container-rest', state: 'succeeded' });
  expect(node('artifact')).toMatchObject({ id: wine.artifactDigest, facts: { name: 'wine-1.zip' } });
  expect(node('training')?.facts).toMatchObject({
    metrics: { rmse: 0.7 },
    parameters: { alpha: '0.5' },
    hyperParameters: { alpha: '0.5' },
    data: [{ localPath: 'rows.csv', digest: 'data-wine', feedback: { model: 'wine' } }],
  });
  expect(node('commit')).toMatchObject({ id: wine.commit, facts: { connection: 'code' } });
  expect(node('data')).toMatchObject({ id: 'data-wine', facts: { localPath: 'rows.csv' } });
  expect(edges.map(({ relation }: { relation: string }) => relation).sort()).toEqual(
    ['answered', 'made', 'made', 'used by', 'used by', 'used by', 'used by'].sort(),
  );
});

test('what was changed and removed since is shown as it was', async () => {
  const tea = startStory('tea');
  const [first, second] = [tea(1), tea(2)];
  for (const { steps } of [first, second]) await keep(steps);
  await api.deployments.insert(second.deployment);
  await record(first.call('early'), second.call('late'));
  expect((await read('request/early')).ids).toEqual(
    expect.arrayContaining([`commit ${first.commit}`, `image ${first.imageDigest}`]),
  );
  const late = await read('request/late');
  expect(late.ids).toEqual(expect.arrayContaining([`commit ${second.commit}`, 'training tea']));
  expect(late.ids).not.toContain(`commit ${first.commit}`);
  expect(late.node('deployment')?.facts).toMatchObject({ generation: 2, state: 'Processing', serving: false });
  // Its data and its deployments tie the two together; nothing else does.
  expect((await read('data/data-tea')).ids).toEqual(
    expect.arrayContaining([`image ${first.imageDigest}`, `image ${second.imageDigest}`]),
  );
});

test('what an earlier release did is shown as far as its resources know', async () => {
  const old = startStory('old')(1);
  await api.trainings.insert({
    ...old.training,
    status: { ...old.training.status, artifactDigest: undefined, data: undefined },
  });
  await api.packagings.insert({
    ...old.packaging,
    status: { ...old.packaging.status, artifactDigest: undefined, imageId: undefined },
  });
  await api.deployments.insert({ ...old.deployment, serving: undefined });
  const { ids } = await read('deployment/old');
  expect(ids.sort()).toEqual(
    [
      `artifact old-1.zip`,
      `commit ${old.commit}`,
      'deployment old',
      `image ${old.imageDigest}`,
      'packaging old',
      'training old',
    ].sort(),
  );
});

test('a run of a pipeline is above what it made, and is found from every answer of what it deployed', async () => {
  const leaf = startStory('leaf');
  const [first, second] = [leaf(1), leaf(2)];
  for (const { steps, run } of [first, second]) {
    await keep(steps);
    await api.pipelineRuns.insert(run);
  }
  await record(first.call('first leaf'), second.call('second leaf'));
  const down = await read('pipeline-run/leaf-2?direction=downstream');
  expect(down.ids).toEqual(
    expect.arrayContaining(['training leaf', 'packaging leaf', 'deployment leaf', `image ${second.imageDigest}`]),
  );
  expect(down.ids).not.toContain(`image ${first.imageDigest}`);
  const up = await read('request/first%20leaf?direction=upstream');
  expect(up.ids).toEqual(expect.arrayContaining(['pipeline-run leaf-1', 'pipeline leaf', `commit ${first.commit}`]));
  const trigger = { type: 'api', by: 'ada' };
  expect(up.node('pipeline-run')?.facts).toMatchObject({ number: 1, state: 'succeeded', trigger });
  const { ids } = await read('pipeline/leaf?direction=downstream');
  expect(ids).toEqual(expect.arrayContaining(['pipeline-run leaf-1', 'pipeline-run leaf-2', 'deployment leaf']));
});

test.each(['training', 'packaging', 'deployment'])(
  'a %s is found by its id, one generation by its number',
  async (kind) => {
    const id = `both-${kind}`;
    const both = startStory(id);
    for (const generation of [1, 2]) await keep(both(generation).steps);
    expect((await read(`${kind}/${id}`)).ids).toContain(`commit ${both(2).commit}`);
    const { ids } = await read(`${kind}/${id}?direction=upstream&generation=1`);
    expect(ids[0]).toBe(`${kind} ${id}`);
    expect(ids).toContain(`commit ${both(1).commit}`);
    const { status, body } = await get(`${kind}/${id}?generation=7`);
    expect([status, body.message]).toEqual([404, `no ${kind} "${id}" of generation 7 is known`]);
  },
);

test('what is not known is a 404 with a sentence, a bad question a 400', async () => {
  const reply = async (path: string) => {
    const { status, body } = await get(path);
    return [status, body.message];
  };
  expect(await reply('model/wine')).toEqual([
    404,
    'lineage knows no "model", but pipeline, pipeline-run, commit, data, training, artifact, packaging, image, deployment, request',
  ]);
  expect(await reply('image/sha256:none')).toEqual([404, 'no image "sha256:none" is known']);
  expect(await reply('request/absent')).toEqual([
    404,
    'no call with the request id "absent" is known; calls are known a minute or two later, and for 90 days',
  ]);
  const odd = encodeURIComponent('../../%2e/\u0000 ☃');
  expect((await reply(`commit/${odd}`))[0]).toBe(404);
  expect(await reply('commit/x?direction=sideways')).toEqual([
    400,
    'the direction URL parameter must be one of upstream, downstream, both',
  ]);
  expect((await reply('training/x?generation=0'))[0]).toBe(400);
});

test('feedback without a call has a lineage too: itself', async () => {
  await record(feedback({ at: AT, requestId: 'orphan', json: '1', modelName: 'absent' }));
  const { ids, node } = await read('request/orphan');
  expect(ids).toEqual(['request orphan']);
  expect(node('request')?.facts).toMatchObject({ calls: [], feedback: [{ modelName: 'absent' }] });
});
