import { expect, test } from 'vitest';
import { createLineageGraph } from '../../../lifecycle/kinds/lineage-graph.js';
import type { LineageKind, LineageStep, Thing } from '../../../lifecycle/kinds/lineage.js';

let clock = 0;
/** A step of its own time; uid is the id by default. */
function step(kind: LineageKind, id: string, more: Partial<LineageStep> = {}): LineageStep {
  clock += 1;
  const at = new Date(clock * 1_000).toISOString();
  return { kind, id, uid: `uid-${id}`, generation: 1, at, uses: [], makes: [], facts: {}, ...more };
}
const image = (identity: Partial<Thing>): Thing => ({ kind: 'image', ...identity });
const commit = (digest: string): Thing => ({ kind: 'commit', digest });
const artifact = (name: string, digest?: string): Thing => ({ kind: 'artifact', name, digest });

const around = (
  steps: LineageStep[],
  kind: LineageKind,
  id: string,
  direction: 'upstream' | 'downstream' | 'both' = 'both',
) => {
  const graph = createLineageGraph(steps);
  const { nodes, edges } = graph.around(graph.find(kind, id), direction, 100);
  return { ids: nodes.map((node) => `${node.kind} ${node.id}`), edges: edges.map(({ from, to }) => `${from} > ${to}`) };
};

const chain = () => [
  step('training', 't', { uses: [commit('c1'.repeat(20))], makes: [artifact('a.zip', 'da')] }),
  step('packaging', 'p', {
    uses: [artifact('a.zip', 'da')],
    makes: [image({ digest: 'sha256:d', contentId: 'sha256:i', name: 'r/a:1' })],
  }),
  step('deployment', 'd', { uses: [image({ contentId: 'sha256:i', name: 'mirror/a:1' })] }),
];

test('a chain is followed both ways, from any of the names of its things', () => {
  const all = ['commit', 'training', 'artifact', 'packaging', 'image', 'deployment'];
  const kindsOf = (kind: LineageKind, id: string) =>
    around(chain(), kind, id)
      .ids.map((each) => each.split(' ')[0])
      .sort();
  for (const [kind, id] of [
    ['image', 'sha256:d'],
    ['image', 'sha256:i'],
    ['image', 'r/a:1'],
    ['artifact', 'a.zip'],
    ['artifact', 'da'],
    ['commit', 'c1'.repeat(20)],
    ['commit', 'c1c1c1c'],
    ['training', 't'],
  ] as const) {
    expect(kindsOf(kind, id)).toEqual([...all].sort());
  }
  expect(around(chain(), 'packaging', 'p', 'upstream').ids).toEqual([
    'packaging p',
    'artifact da',
    'training t',
    `commit ${'c1'.repeat(20)}`,
  ]);
  expect(around(chain(), 'packaging', 'p', 'downstream').ids).toEqual([
    'packaging p',
    'image sha256:d',
    'deployment d',
  ]);
});

test('siblings are no relatives: what a commit also became is not shown for one of its models', () => {
  const steps = [
    ...chain(),
    step('training', 'other', { uses: [commit('c1'.repeat(20))], makes: [artifact('b.zip')] }),
  ];
  expect(around(steps, 'deployment', 'd').ids).not.toContain('training other');
  expect(around(steps, 'commit', 'c1'.repeat(20)).ids).toContain('training other');
});

test('of two images of one name the content tells which one runs; the name alone means the newer one', () => {
  const name = 'r/wine:latest';
  const steps = [
    step('packaging', 'first', { makes: [image({ digest: 'd1', contentId: 'i1', name })] }),
    step('packaging', 'second', { makes: [image({ digest: 'd2', contentId: 'i2', name })] }),
    step('deployment', 'old', { uses: [image({ contentId: 'i1', name })] }),
    step('deployment', 'named', { uses: [image({ name })] }),
  ];
  expect(around(steps, 'deployment', 'old').ids).toEqual(['deployment old', 'image d1', 'packaging first']);
  expect(around(steps, 'deployment', 'named').ids).toEqual(['deployment named', 'image d2', 'packaging second']);
  expect(createLineageGraph(steps).find('image', name)).toEqual(['image/d1', 'image/d2']);
});

test('an entity is its newest generation, of the one that has the id now', () => {
  const steps = [
    step('training', 't', { generation: 2, uid: 'gone' }),
    step('training', 't', { generation: 1, uid: 'here' }),
    step('training', 't', { generation: 3, uid: 'here' }),
  ];
  const graph = createLineageGraph(steps);
  expect(graph.find('training', 't')).toEqual(['training/t/here/3']);
  expect(graph.find('training', 't', 1)).toEqual(['training/t/here/1']);
  expect(graph.find('training', 't', 2)).toEqual([]);
  expect(graph.find('deployment', 't')).toEqual([]);
  expect(graph.find('commit', 'abc')).toEqual([]);
});

test('a run of a pipeline is above what it started and what it reused', () => {
  const [training, packaging, deployment] = chain();
  const run = step('pipeline-run', 'wine-3', {
    uses: [{ kind: 'pipeline', name: 'wine' }],
    starts: [
      { kind: 'training', id: 't', relation: 'reused' },
      { kind: 'deployment', id: 'd', generation: 1, relation: 'started' },
      { kind: 'packaging', id: 'gone', relation: 'started' },
    ],
  });
  const steps = [training, packaging, deployment, run].filter((each) => each !== undefined);
  const { ids, edges } = around(steps, 'deployment', 'd');
  expect(ids).toEqual(expect.arrayContaining(['pipeline-run wine-3', 'pipeline wine', 'training t']));
  expect(edges).toContain('pipeline-run/wine-3/uid-wine-3/1 > training/t/uid-t/1');
});

test('of more than is shown the nearest are, and it says so', () => {
  const steps = Array.from({ length: 50 }, (_, n) =>
    step('training', `t${n}`, { uses: [commit('c')], makes: [artifact(`a${n}`)] }),
  );
  const graph = createLineageGraph(steps);
  const { nodes, edges, truncated } = graph.around(['commit/c'], 'both', 20);
  expect([nodes.length, truncated]).toEqual([20, true]);
  expect(nodes.slice(1).every(({ kind }) => kind === 'training')).toBe(true);
  expect(edges).toHaveLength(19);
  expect(graph.around(['training/t1/uid-t1/1'], 'both', 20)).toMatchObject({ truncated: false });
});
