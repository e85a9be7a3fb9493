import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReferenceDocument } from '../../../openapi/reference/document.js';
import { declareAll, startTestReference, type TestReference } from '../../api/reference/test-reference.js';
import { asRead, type Operation, operationsOf } from '../operations.js';

const operations = operationsOf(asRead(createReferenceDocument('1', [])));
let api: TestReference;
/** Values for the parameters of paths. */
const places: Record<string, string> = {
  dataset: 'skills',
  name: 'skills',
  type: 'pipeline.run.waiting',
  version: '1',
};

beforeAll(async () => {
  api = await startTestReference();
  await declareAll(api);
  const row = await api.call('POST', '/v2/skills', { body: { name: 'Welding' } });
  const wanted = { name: 'a', url: 'https://hr.example/', types: ['dataset.skills.*'] };
  const subscription = await api.call('POST', '/v2/subscriptions', { body: wanted });
  places.row = row.body.id;
  places.subscription = subscription.body.id;
});
afterAll(() => api.stop());

/** Reads that answer at once, with the parameters that they cannot do without. */
function addressOf({ path, parameters }: Operation, query: Record<string, string>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name !== 'id') return places[name] ?? '1';
    return (/subscriptions|feed/.test(path) ? places.subscription : places.row) ?? '1';
  });
  const needed = parameters.filter((each) => each.in === 'query' && each.required === true);
  const byDefault = needed.map(({ name, schema }) => [
    name,
    (schema as { type?: string }).type === 'integer' ? '1' : 'version > 0',
  ]);
  return `${filled}?${String(new URLSearchParams({ ...Object.fromEntries(byDefault), ...query }))}`;
}

const reads = operations.filter(
  ({ method, path }) =>
    method === 'GET' &&
    /^\/v2\/(?!graphql|watches|problems)/.test(path) &&
    // A stream of events does not end.
    !/consumers|keys\/|imports\/|sequence|datasets\/\{name\}\/events/.test(path),
);
/** Whether a value was refused as such; its effect may fail for other reasons, such as a version that is not there. */
const isRefused = async (operation: Operation, name: string, value: string): Promise<boolean> =>
  (await api.call('GET', addressOf(operation, { [name]: value }))).status === 400;

const NUMBERS = reads.flatMap((operation) =>
  operation.parameters.flatMap(({ name, in: place, schema }) => {
    const { type, minimum, maximum } = schema as { type?: string; minimum?: number; maximum?: number };
    return place === 'query' && type === 'integer' ? [{ id: operation.id, operation, name, minimum, maximum }] : [];
  }),
);

test('the document bounds numbers of several reads', () => {
  expect(NUMBERS.length).toBeGreaterThan(10);
});

test.each(NUMBERS)('$id takes $name in exactly the declared bounds', async ({ operation, name, minimum, maximum }) => {
  const refused = (value: number | string) => isRefused(operation, name, String(value));
  // A long wait for news is a long test.
  const highest = name === 'wait' || maximum === undefined ? undefined : maximum;
  expect(minimum).toBeDefined();
  if (minimum !== undefined) {
    expect([minimum, await refused(minimum)]).toEqual([minimum, false]);
    if (minimum > 0) expect([minimum - 1, await refused(minimum - 1)]).toEqual([minimum - 1, true]);
  }
  if (highest !== undefined) expect([highest, await refused(highest)]).toEqual([highest, false]);
  if (maximum !== undefined) expect([maximum + 1, await refused(maximum + 1)]).toEqual([maximum + 1, true]);
  for (const value of ['-1', '1.5', 'x']) expect([value, await refused(value)]).toEqual([value, true]);
});

const CHOICES = reads.flatMap((operation) =>
  operation.parameters.flatMap(({ name, in: place, schema }) => {
    const { type, enum: values } = schema as { type?: string; enum?: string[] };
    const choices = values ?? (type === 'boolean' ? ['true', 'false'] : undefined);
    return place === 'query' && choices !== undefined ? [{ id: operation.id, operation, name, choices }] : [];
  }),
);

test.each(CHOICES)('$id takes exactly the declared values of $name', async ({ operation, name, choices }) => {
  for (const value of choices) expect([value, await isRefused(operation, name, value)]).toEqual([value, false]);
  for (const value of ['other', choices[0]?.toUpperCase() ?? '']) {
    expect([value, await isRefused(operation, name, value)]).toEqual([value, true]);
  }
});

test.each(reads.map((operation) => ({ id: operation.id, operation })))(
  '$id takes no parameter that it does not declare, and each declared one at most once',
  async ({ operation }) => {
    const reply = await api.call('GET', addressOf(operation, { surprise: '1' }));
    expect([reply.status, reply.body.code, reply.body.parameter]).toEqual([400, 'parameter.unknown', 'surprise']);
    for (const { name } of operation.parameters.filter((each) => each.in === 'query')) {
      const twice = await api.call('GET', `${addressOf(operation, { [name]: '1' })}&${name}=1`);
      expect([name, twice.status, twice.body.code]).toEqual([name, 400, 'parameter.invalid']);
    }
  },
);

test.each(reads.map((operation) => ({ id: operation.id, operation })))(
  '$id needs exactly the parameters that are declared as required',
  async ({ operation }) => {
    const address = addressOf(operation, {});
    const needed = operation.parameters.filter((each) => each.in === 'query' && each.required === true);
    expect([operation.id, (await api.call('GET', address)).status]).not.toEqual([operation.id, 400]);
    for (const { name } of needed) {
      const [path = '', query = ''] = address.split('?');
      const without = new URLSearchParams(query);
      without.delete(name);
      expect([name, (await api.call('GET', `${path}?${String(without)}`)).status]).toEqual([name, 400]);
    }
  },
);

test('a refused value is reported under the name that it was sent with', async () => {
  for (const { operation, name } of NUMBERS) {
    const { body } = await api.call('GET', addressOf(operation, { [name]: 'x' }));
    expect([operation.id, name, body.parameter ?? body.code]).toEqual([
      operation.id,
      name,
      body.code === 'page.size' ? 'page.size' : name,
    ]);
  }
});

test('an integer in a header has the declared bounds', async () => {
  const read = (value: string) =>
    api.call('GET', `/v2/skills/${places.row}`, { headers: { 'slipway-min-version': value } });
  expect((await read('0')).status).toBe(200);
  for (const value of ['-1', '1.5', 'x']) expect([value, (await read(value)).status]).toEqual([value, 400]);
});
