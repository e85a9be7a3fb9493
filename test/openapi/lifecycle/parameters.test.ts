import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDocument } from '../../../openapi/lifecycle/document.js';
import { startTestApi, type TestApi } from '../../api/test-api.js';
import { asRead, type Operation, operationsOf } from '../operations.js';

const operations = operationsOf(asRead(createDocument({ version: '1' })));
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const places: Record<string, string> = { kind: 'training', number: '1' };
const addressOf = ({ path }: Operation, query: Record<string, string>): string =>
  `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? 'wine')}?${String(new URLSearchParams(query))}`;
const isRefused = async (operation: Operation, name: string, value: string): Promise<boolean> =>
  (await api.call('GET', addressOf(operation, { [name]: value }))).status === 400;

/** Lists and reads that look at their query before the resource; a log needs one. */
const reads = operations.filter(({ method, path }) => method === 'GET' && !/\{id\}\/|webhook/.test(path));
const NUMBERS = reads.flatMap((operation) =>
  operation.parameters.flatMap(({ name, in: place, schema }) => {
    const { type, minimum, maximum } = schema as { type?: string; minimum?: number; maximum?: number };
    return place === 'query' && type === 'integer' ? [{ id: operation.id, operation, name, minimum, maximum }] : [];
  }),
);

test('numbers of many reads are bounded', () => {
  expect(NUMBERS.length).toBeGreaterThan(15);
});

test.each(NUMBERS)('$id takes $name in the declared bounds', async ({ operation, name, minimum, maximum }) => {
  const values: [value: string, refused: boolean][] = [['x', true]];
  if (minimum !== undefined) values.push([String(minimum), false], [String(minimum - 1), true]);
  if (maximum !== undefined) values.push([String(maximum), false], [String(maximum + 1), true]);
  for (const [value, refused] of values) {
    expect([value, await isRefused(operation, name, value)]).toEqual([value, refused]);
  }
});

const lists = reads.filter(({ parameters }) => parameters.some(({ name }) => name === 'size'));

test.each(lists.map((operation) => ({ id: operation.id, operation })))(
  '$id takes the filters that it declares, as often as it declares, also as a wildcard, and no others',
  async ({ operation }) => {
    for (const { name, schema } of operation.parameters) {
      const { type, format } = schema as { type?: string; format?: string };
      if (['size', 'page', 'after'].includes(name)) continue;
      const value = format === 'date-time' ? '2026-01-01T00:00:00Z' : 'a';
      const several = type === 'array' ? 200 : 400;
      const asked = { [`${name}=${value}`]: 200, [`${name}=*`]: 200, [`${name}=${value}&${name}=${value}`]: several };
      for (const [query, expected] of Object.entries(asked)) {
        expect([query, (await api.call('GET', `${operation.path}?${query}`)).status]).toEqual([query, expected]);
      }
      if (format === 'date-time') expect((await api.call('GET', `${operation.path}?${name}=soon`)).status).toBe(400);
    }
    expect((await api.call('GET', `${operation.path}?surprise=1`)).status).toBe(400);
  },
);

test.each(lists.map((operation) => ({ id: operation.id, operation })))(
  '$id has pages of the default size unless another is asked for',
  async ({ operation }) => {
    const { status, body, headers } = await api.call('GET', operation.path);
    expect(status).toBe(200);
    const total = headers.get('x-total-count');
    if (total !== null) expect(body).toHaveLength(Math.min(500, Number(total)));
    const one = await api.call('GET', `${operation.path}?size=1`);
    expect(one.body.length).toBeLessThanOrEqual(1);
  },
);

test.each(['both', 'upstream', 'downstream', 'sideways'])(
  'a lineage takes the direction %s if it is declared',
  async (direction) => {
    const operation = operations.find(({ id }) => id === 'getLineage');
    const declared = operation?.parameters.find(({ name }) => name === 'direction')?.schema as { enum: string[] };
    if (operation === undefined) throw new Error('there is no lineage');
    expect(await isRefused(operation, 'direction', direction)).toBe(!declared.enum.includes(direction));
  },
);
