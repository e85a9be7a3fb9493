import { afterAll, beforeAll, expect, test } from 'vitest';
import { aboutOf, nameOfNode } from '../../cli/lineage/about.js';
import { toTrees } from '../../cli/lineage/tree.js';
import { clock } from '../../cli/output/time.js';
import { ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { createSlipwayRunner, type SlipwayRunner } from './slipway.js';

const AT = '2026-01-01T00:00:00.000Z';
const NOW = Date.parse('2026-01-01T01:00:00.000Z');
let api: TestApi;
let slipway: SlipwayRunner;
beforeAll(async () => {
  api = await startTestApi({ now: () => new Date(AT) });
  slipway = await createSlipwayRunner({ SLIPWAY_SERVER: api.url, SLIPWAY_TOKEN: await api.token(['admin']) });
  const file = await slipway.file(MANIFESTS);
  expect(await slipway.run(['apply', '-f', file])).toMatchObject({ exitCode: 0, err: '' });
  const image = 'example.org/wine:1';
  await api.trainings.update('wine', (each) => ({
    ...each,
    status: {
      ...each.status,
      ...{
        state: 'failed',
        reason: 'ToolchainFailed',
        message: 'the program ended with 3',
        exitCode: 3,
        step: 'train',
      },
      ...{ startedAt: AT, metrics: { rmse: 0.25 }, logTail: 'first\nlast\n', artifactName: 'wine.zip' },
      artifacts: [{ runId: 'r', artifactName: 'wine.zip', commitID: 'a'.repeat(40) }],
      transitions: [
        { state: 'unknown', at: AT },
        { state: 'running', at: '2026-01-01T00:00:04.200Z' },
        { state: 'failed', at: '2026-01-01T00:30:04.200Z' },
      ],
    },
  }));
  await api.packagings.update('wine', (each) => ({
    ...each,
    status: { ...each.status, state: 'succeeded', results: [{ name: 'image', value: image }] },
  }));
  await api.deployments.update('wine', (each) => ({
    ...each,
    status: {
      ...each.status,
      ...{ state: 'Failed', reason: 'ImagePullFailed', replicas: 2, availableReplicas: 1 },
      ...{ imageDigest: 'sha256:abc', warning: 'image "example.org/wine:1" is not trusted: so it is' },
      ...{ modelName: 'wine', modelVersion: '7' },
    },
  }));
});
afterAll(async () => {
  await api.stop();
  await slipway.remove();
});

const MANIFESTS = `
kind: Connection
id: code
spec: { type: git, uri: https://example.org/x.git, username: me, password: c2VjcmV0, reference: main, description: code }
---
kind: Connection
id: bucket
spec: { type: gcs, uri: gs://rows/in, region: eu, keySecret: c2VjcmV0 }
---
kind: ModelTraining
id: wine
spec:
  model: { name: wine, version: "7" }
  toolchain: ml-toolchain
  algorithmSource: { vcs: { connection: code, reference: main } }
  data: [{ connection: bucket, localPath: rows }]
  hyperParameters: { alpha: "0.5", depth: "3" }
---
kind: ModelPackaging
id: wine
spec:
  integrationName: container-rest
  artifactName: wine.zip
  arguments: { workers: 2 }
  targets: [{ name: container-push, connectionName: docker-ci }]
---
kind: ModelDeployment
id: wine
spec: { predictor: platform-ml-server, image: example.org/wine:1, minReplicas: 1, maxReplicas: 2, roleName: tasters }
`;

/** Every deployment has a route of its own. */
async function routeOfWine(): Promise<string> {
  const { body } = await api.call('GET', '/api/v1/model/route');
  return body[0].id;
}

async function describe(...words: string[]) {
  const { exitCode, out, err } = await slipway.run(['describe', ...words], { now: () => NOW });
  expect([exitCode, err]).toEqual([0, '']);
  const [head = '', ...sections] = out.trimEnd().split('\n\n');
  const [name, ...rows] = head.split('\n');
  const cells = (line: string) => line.trim().split(/ {2,}/);
  return {
    name,
    facts: Object.fromEntries(rows.map(cells)) as Record<string, string>,
    sections: Object.fromEntries(
      sections.map((text) => {
        const [title = '', ...lines] = text.split('\n');
        return [title.replace(/:$/, ''), lines.map(cells)];
      }),
    ),
  };
}

test('a training has its source, its times, its relatives and the end of its log', async () => {
  const { name, facts, sections } = await describe('training', 'wine');
  expect(name).toBe('training/wine');
  expect(facts).toMatchObject({
    ...{ state: 'failed', reason: 'ToolchainFailed', message: 'the program ended with 3', step: 'train' },
    ...{ 'exit code': '3', took: '1h', model: 'wine 7', source: 'code main aaaaaaaaaaaa', toolchain: 'ml-toolchain' },
    ...{ data: 'bucket in rows', parameters: 'alpha=0.5 depth=3', metrics: 'rmse=0.25', artifact: 'wine.zip' },
    created: expect.stringMatching(`^${clock(AT)} by .+ \\(1h ago\\)$`),
  });
  expect(facts).not.toHaveProperty('changed');
  expect(sections.States?.map(([, state, stayed]) => [state, stayed])).toEqual([
    ['unknown', 'for 4.2s'],
    ['running', 'for 30m'],
    ['failed', undefined],
  ]);
  expect(sections['Packaged by']).toEqual([['packaging/wine', 'succeeded']]);
  expect(sections['Last lines of the log']).toEqual([['first'], ['last']]);
});

test('a packaging names what it was made of, and what runs its image', async () => {
  const { facts, sections } = await describe('packaging/wine');
  expect(facts).toMatchObject({
    ...{ state: 'succeeded', artifact: 'wine.zip', packager: 'container-rest', image: 'example.org/wine:1' },
    ...{ targets: 'container-push to docker-ci', arguments: expect.stringContaining('workers=2') },
  });
  expect(sections['Trained by']).toEqual([['training/wine', 'failed']]);
  expect(sections['Deployed by']).toEqual([['deployment/wine', 'Failed']]);
});

test('a deployment counts its replicas and names what leads to it', async () => {
  const { facts, sections } = await describe('deployment', 'wine');
  expect(facts).toMatchObject({
    ...{ state: 'Failed', reason: 'ImagePullFailed', model: 'wine 7', roles: 'tasters', image: 'example.org/wine:1' },
    ...{ digest: 'sha256:abc', warning: 'image "example.org/wine:1" is not trusted: so it is' },
    replicas: '1 of 2 ready (1 to 2 wanted)',
  });
  expect(sections['Packaged by']).toEqual([['packaging/wine', 'succeeded']]);
  expect(sections['Reached by']?.[0]?.[0]).toBe(`route/${await routeOfWine()}`);
});

test('a route leads to its deployment', async () => {
  const { facts, sections } = await describe('route', await routeOfWine());
  expect(facts.targets).toBe('wine 100%');
  expect(sections['Leads to']).toEqual([['deployment/wine', 'Failed']]);
});

test.each([
  ['code', { type: 'git', reference: 'main', credentials: 'username, password' }, ['training/wine']],
  ['bucket', { type: 'gcs', credentials: 'keySecret' }, ['training/wine']],
  ['docker-ci', { type: 'container-registry', vital: 'it cannot be deleted' }, ['packaging/wine', 'deployment/wine']],
])('connection %s names its credentials without their values, and its users', async (id, expected, users) => {
  const { facts, sections } = await describe('connection', id);
  expect(facts).toMatchObject(expected);
  expect(JSON.stringify(facts)).not.toContain('c2VjcmV0');
  expect(sections['Used by']?.map(([user]) => user)).toEqual(users);
});

test.each([
  ['toolchain', 'ml-toolchain', ['entrypoint', 'image'], 'training/wine'],
  ['packager', 'container-rest', ['entrypoint', 'image', 'targets', 'arguments'], 'packaging/wine'],
])('the integration of a %s names what uses it', async (kind, id, names, user) => {
  const { facts, sections } = await describe(kind, id);
  expect(Object.keys(facts)).toEqual(expect.arrayContaining(names));
  expect(sections['Used by']).toContainEqual([user, expect.any(String)]);
});

test('a change adds who made it and which generation it is', async () => {
  const spec = ConnectionSpec.parse({ type: 'git', uri: 'https://example.org/changed.git' });
  for (const uri of ['https://example.org/first.git', spec.uri]) {
    const text = `kind: Connection\nid: changed\nspec: { type: git, uri: ${uri} }\n`;
    await slipway.run(['apply', '-f', await slipway.file(text)]);
  }
  expect((await describe('connection/changed')).facts).toMatchObject({
    uri: spec.uri,
    changed: expect.stringMatching(/ by .+, generation 2$/),
  });
});

const DIGEST = `sha256:${'0123456789ab'.repeat(5)}cdef`;
type Node = Parameters<typeof aboutOf>[0];
const node = (kind: Node['kind'], id: string, facts: Node['facts'] = {}): Node => ({
  key: `${kind}/${id}`,
  kind,
  id,
  facts,
});

// prettier-ignore
test.each<[Node, string | undefined, string[]]>([
  [node('request', 'r-1', { calls: [{ at: AT }, 'no call'], feedback: [1, 2] }), undefined, [`answered at ${clock(AT)}`, '2 feedback']],
  [node('request', 'r-2'), undefined, []],
  [node('deployment', 'wine', { state: 'Ready', generation: 3, modelName: 'wine', modelVersion: '7', serving: true, traffic: { calls: 1, feedback: 0 } }), 'Ready', ['generation 3', 'wine:7', 'serves', '1 call']],
  [node('deployment', 'wine', { generation: 3, serving: false, traffic: { calls: 9, feedback: 4 } }), undefined, ['generation 3', '9 calls', '4 feedback']],
  [node('image', DIGEST, { name: 'r/wine:1' }), undefined, ['r/wine:1']],
  [node('artifact', 'wine.zip', { name: 'wine.zip' }), undefined, []],
  [node('packaging', 'wine', { state: 'failed', integration: 'container-rest', reason: 'BuildFailed' }), 'failed', ['container-rest', 'BuildFailed']],
  [node('training', 'wine', { modelName: 'iris', hyperParameters: { alpha: '0.5' }, metrics: { rmse: 0.123456 } }), undefined, ['iris', 'alpha=0.5', 'rmse=0.1235']],
  [node('data', 'rows', { localPath: 'in', connection: 'bucket', remotePath: 'a/b', feedback: { model: 'wine' } }), undefined, ['in', 'bucket a/b', 'feedback of wine']],
  [node('commit', 'c'.repeat(40), { connection: 'code', reference: 'main' }), undefined, []],
  [node('pipeline-run', 'wine-1', { state: 'succeeded', trigger: { type: 'schedule' }, approval: { decision: 'approved', by: 'ada', reason: 'checked' } }), 'succeeded', ['started by schedule', 'approved by ada: checked']],
  [node('pipeline', 'wine', { anything: 'else' }), undefined, []],
  [node('training', 'odd', { metrics: 'none', hyperParameters: null, reason: 5 }), undefined, ['5']],
])('of the node %o the tree shows %s %j', (given, state, facts) => {
  expect(aboutOf(given)).toEqual({ ...(state !== undefined && { state }), facts });
});

test('digests and commits are cut to the digits that tell them apart, other ids are whole', () => {
  expect(nameOfNode(node('commit', 'c'.repeat(40)))).toBe(`commit ${'c'.repeat(12)}`);
  expect(nameOfNode(node('image', DIGEST))).toBe('image sha256:0123456789ab');
  expect(nameOfNode(node('request', 'r-1'))).toBe('request r-1');
});

test('a graph with a ring, an edge to nowhere and two ways to a node shows each node once', () => {
  const names = ['a', 'b', 'c', 'd'].map((id) => node('training', id));
  const edge = (from: string, to: string) => ({ from: `training/${from}`, to: `training/${to}` }) as never;
  const graph = {
    root: ['training/a'],
    nodes: names,
    edges: [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('c', 'd'), edge('d', 'a'), edge('a', 'gone')],
    truncated: false,
  };
  const lines = toTrees(graph, 'downstream', (_style, text) => text);
  expect(lines.map((line) => /training (\w)/.exec(line)?.[1]).filter(Boolean)).toEqual(['a', 'b', 'd', 'c']);
  expect(toTrees({ ...graph, edges: [] }, 'both', (_style, text) => text)).toEqual(['training a']);
});
