import { declareAll, startTestReference, type TestReference } from './test-reference.js';

export const FIRST_POSITION = 9_007_199_254_740_993n;
const FIRST_SKILL = 1_152_921_504_606_846_976n;
const STATES = ['Open', 'Filled', 'On Hold', 'Closed'];

const SPECS = {
  skills: { title: 'Skills', fields: { name: { type: 'text', required: true }, level: { type: 'integer' } } },
  locations: {
    fields: {
      name: { type: 'text', required: true },
      population: { type: 'integer' },
      parent: { type: 'ref', dataset: 'locations' },
    },
    lookup: { fields: ['name'], weight: 'population' },
  },
  positions: {
    fields: {
      title: { type: 'text', required: true },
      staffing_status: { type: 'enum', values: STATES, required: true },
      customer: { type: 'object', fields: { id: { type: 'id', required: true }, name: { type: 'text' } } },
      location: { type: 'ref', dataset: 'locations', on_delete: 'keep' },
      home: { type: 'ref', dataset: 'locations' },
      skills: { type: 'list', of: { type: 'ref', dataset: 'skills', on_delete: 'keep' } },
      tags: { type: 'list', of: { type: 'text' } },
      head_count: { type: 'integer' },
      day_rate: { type: 'decimal' },
      remote: { type: 'boolean' },
      starts_on: { type: 'date' },
      posted_at: { type: 'timestamp' },
    },
  },
};

/** Positions, their locations and skills, with ids above 2^53 and references to nothing. */
export async function startTestGraph(options: Parameters<typeof startTestReference>[0] = {}): Promise<TestReference> {
  const api = await startTestReference(options);
  await declareAll(api, { skills: SPECS.skills });
  const { parent: _, ...fields } = SPECS.locations.fields;
  await declareAll(api, { locations: { fields } });
  await api.call('PUT', '/v2/datasets/locations', {
    body: { kind: 'Dataset', id: 'locations', spec: SPECS.locations },
  });
  await declareAll(api, { positions: SPECS.positions });
  await putAll(api, 'skills', range(12), (n) => [FIRST_SKILL + BigInt(n), { name: `Skill ${n}`, level: n - 5 }]);
  const place = (n: number): [bigint, object] => [
    BigInt(n),
    {
      name: `Place "${n}"`,
      ...(n !== 5 && { population: n * 1_000 }),
      ...(n > 4 && { parent: { id: String(n - 4) } }),
    },
  ];
  await putAll(api, 'locations', [1, 2, 3, 4], place);
  await putAll(api, 'locations', [5, 6, 7, 8], place);
  await putAll(api, 'positions', range(150), (n) => [
    FIRST_POSITION + BigInt(n),
    {
      title: `Position ${n % 7} é\n`,
      staffing_status: STATES[n % 4],
      ...(n % 3 !== 0 && {
        customer: { id: String(BigInt(n % 5) + 4_060_741_400_035_622_411n), ...(n % 2 && { name: `C${n}` }) },
      }),
      ...(n % 6 !== 0 && { location: { id: String((n % 8) + 1) } }),
      ...(n % 10 === 0 && { home: { id: '2' } }),
      ...(n % 4 !== 1 && { skills: range(n % 4).map((k) => ({ id: String(FIRST_SKILL + BigInt((n + k * 5) % 12)) })) }),
      tags: range(n % 3).map((k) => `t${k}`),
      head_count: n - 60,
      ...(n % 5 !== 0 && { day_rate: ((n * 37) % 100) + 0.5 }),
      ...(n % 2 === 0 && { remote: n % 4 === 0 }),
      starts_on: `2026-0${(n % 9) + 1}-15`,
      posted_at: `2026-03-01T08:00:0${n % 10}.250Z`,
    },
  ]);
  // A skill and a location that are still referred to.
  await api.call('DELETE', `/v2/skills/${FIRST_SKILL + 11n}`, { headers: { 'if-match': '*' } });
  return api;
}

const range = (length: number): number[] => Array.from({ length }, (_, n) => n);

async function putAll(api: TestReference, dataset: string, all: number[], rowOf: (n: number) => [bigint, object]) {
  const body = all.map((n) => {
    const [id, entity] = rowOf(n);
    return { op: 'put', id: String(id), entity };
  });
  const reply = await api.call('POST', `/v2/${dataset}/batch`, { body });
  const bad = reply.body.items.find(({ status }: { status: number }) => status !== 201);
  if (bad !== undefined) throw new Error(JSON.stringify(bad));
}

type Sending = Parameters<TestReference['call']>[2] & { variables?: object; type?: string; extensions?: object };

/** Asks by POST, for the media type of GraphQL unless another one is named. */
export const ask =
  (api: TestReference) =>
  (
    query: string,
    { variables, extensions, type = 'application/graphql-response+json', headers, ...rest }: Sending = {},
  ) =>
    api.call('POST', '/v2/graphql', {
      body: { query, ...(variables && { variables }), ...(extensions && { extensions }) },
      headers: { accept: type, ...headers },
      ...rest,
    });
