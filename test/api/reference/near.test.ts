import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestReference, type TestReference } from './test-reference.js';

const decimal = { type: 'decimal' };
const SPEC = {
  fields: {
    name: { type: 'text', required: true },
    country: { type: 'text' },
    latitude: decimal,
    longitude: decimal,
    owner: { type: 'object', fields: { latitude: decimal, longitude: decimal } },
  },
  lookup: { fields: ['name'] },
  points: {
    place: { latitude: 'latitude', longitude: 'longitude' },
    owner: { latitude: 'owner.latitude', longitude: 'owner.longitude' },
  },
};
const ROWS = [
  { name: 'Stockholm', country: 'SE', latitude: 59.3293, longitude: 18.0686 },
  { name: 'Uppsala', country: 'SE', latitude: 59.8586, longitude: 17.6389 }, // 64 km
  { name: 'Göteborg', country: 'SE', latitude: 57.7089, longitude: 11.9746 }, // 397 km
  { name: 'Solna', country: 'SE', latitude: 59.3689, longitude: 18.0084 }, // 6 km
  { name: 'Mariehamn', country: 'AX', latitude: 60.0971, longitude: 19.9348 }, // 135 km
  { name: 'Nowhere', country: 'SE' },
  { name: 'Beyond the pole', latitude: 120, longitude: 18 },
  { name: 'Suva', latitude: -18.1, longitude: 179.9, owner: { latitude: 59.33, longitude: 18.07 } },
];
let api: TestReference;
beforeAll(async () => {
  api = await startTestReference();
  const { status } = await api.call('PUT', '/v2/datasets/towns', { body: { spec: SPEC } });
  expect(status).toBe(201);
  for (const [at, body] of ROWS.entries()) await api.call('PUT', `/v2/towns/${at + 1}`, { body });
});
afterAll(() => api.stop());

const STOCKHOLM = 'place =near= (59.3293, 18.0686, 150000)';
const search = (q: string, more = '') => api.call('GET', `/v2/towns/search?q=${encodeURIComponent(q)}${more}`);
const names = ({ body }: { body: { items: { name: string }[] } }) => body.items.map(({ name }) => name);

test('=near= finds the rows within the radius, and the distance orders them', async () => {
  const near = await search(STOCKHOLM, '&order_by=place.distance');
  expect(names(near)).toEqual(['Stockholm', 'Solna', 'Uppsala', 'Mariehamn']);
  expect(near.body).toMatchObject({ total_size: 4, filter: 'place =near= (59.3293, 18.0686, 150000)' });
  const far = await search(`${STOCKHOLM} and country==SE`, '&order_by=place.distance desc');
  expect(names(far)).toEqual(['Uppsala', 'Solna', 'Stockholm']);
  expect(names(await search('place =near= (59.3293, 18.0686, 396000) and name=like=G*'))).toEqual([]);
  expect(names(await search('place =near= (59.3293, 18.0686, 397000) and name=like=G*'))).toEqual(['Göteborg']);
  expect(names(await search('owner =near= (59.33, 18.07, 1)'))).toEqual(['Suva']);
});

test('each row says how far it is from the place of a condition', async () => {
  const near = await search(STOCKHOLM, '&order_by=place.distance&fields=country');
  const distances = near.body.items.map((row: Record<string, unknown>) => row['place.distance']);
  expect(distances).toEqual([0, 5570.9, 63629.8, 135052.6]);
  expect(Object.keys(near.body.items[0])).toEqual(
    expect.arrayContaining(['id', 'country', 'version', 'place.distance']),
  );
  const either = await search('place =near= (59.3, 18, 1000) or place =near= (59.3293, 18.0686, 1000)');
  expect(either.body.items).toEqual([expect.not.objectContaining({ 'place.distance': expect.anything() })]);
  const unplaced = await search('not (place =near= (59.3293, 18.0686, 20000)) and name == Nowhere');
  expect(unplaced.body.items).toEqual([expect.not.objectContaining({ 'place.distance': expect.anything() })]);
});

test('it crosses the date line, and rows without valid coordinates are never near', async () => {
  expect(names(await search('place =near= (-18.1, -179.9, 22000)'))).toEqual(['Suva']);
  const everywhere = await search('place =near= (90, 0, 20100000)', '&order_by=place.distance');
  expect(everywhere.body.items).toHaveLength(6);
  const others = await search('not(place =near= (90, 0, 20100000))', '&order_by=place.distance,name');
  expect(names(others)).toEqual(['Beyond the pole', 'Nowhere']);
});

test('pages by distance show each row once while rows change, with count and facets of the whole search', async () => {
  const seen: string[] = [];
  let token = '';
  for (let pages = 0; pages < 4; pages += 1) {
    const page = await search(STOCKHOLM, `&order_by=place.distance&page_size=1&facets=country${token}`);
    seen.push(...names(page));
    expect(page.body.total_size).toBe(4);
    expect(page.body.facets.country.values).toEqual([{ value: 'SE', count: 3 }, { value: 'AX', count: 1 }]); // prettier-ignore
    if (pages < 3) token = `&page_token=${page.body.next_page_token}`;
    await api.call('PUT', `/v2/towns/${100 + pages}`, { body: { name: 'New', latitude: 59.3, longitude: 18.07 } });
  }
  expect(seen).toEqual(['Stockholm', 'Solna', 'Uppsala', 'Mariehamn']);
  const moved = await search('place =near= (59, 18, 150000)', `&order_by=place.distance&page_size=1${token}`);
  expect([moved.status, moved.body.code]).toEqual([400, 'page.token_mismatch']);
  for (let row = 100; row < 104; row += 1)
    await api.call('DELETE', `/v2/towns/${row}`, { headers: { 'if-match': '*' } });
});

test('a lookup and the graph take the same filter and order', async () => {
  const hits = await api.call('GET', `/v2/towns/lookup?q=s&filter=${encodeURIComponent(STOCKHOLM)}`);
  expect(names(hits).toSorted()).toEqual(['Solna', 'Stockholm']);
  const found = hits.body.items.find(({ name }: { name: string }) => name === 'Stockholm');
  expect(found).toMatchObject({ 'place.distance': 0, match: { field: 'name' } });
  const query = `{ towns(filter: "${STOCKHOLM}", order_by: "place.distance", first: 2) { total_count nodes { name } } }`;
  const { body } = await api.call('POST', '/v2/graphql', { body: { query } });
  expect(body.data.towns).toEqual({ total_count: 4, nodes: [{ name: 'Stockholm' }, { name: 'Solna' }] });
  const explained = await search(STOCKHOLM, '&explain=true');
  expect(explained.body.explain.plan).toContain('place is at most 150000 m from 59.3293, 18.0686');
});

test.each([
  ['place =near= (59.3, 18.1)', 'filter.syntax', 'the radius in metres is missing'],
  ['place =near= (59.3, 18.1, 5, 6)', 'filter.syntax', 'takes three values'],
  ['place =near= 59.3', 'filter.syntax', 'the longitude is missing'],
  ['place =near= (90.1, 18.1, 5)', 'filter.bad_type', 'the latitude is a number from -90 to 90'],
  ['place =near= (59.3, -181, 5)', 'filter.bad_type', 'the longitude is a number from -180 to 180'],
  ['place =near= (59.3, 18.1, -5)', 'filter.bad_type', 'the radius in metres is a number from 0'],
  ['place =near= (59.3, 18.1, 1e9)', 'filter.bad_type', 'the radius in metres'],
  ['place =near= (NaN, 18.1, 5)', 'filter.bad_type', 'the latitude'],
  ['latitude =near= (59.3, 18.1, 5)', 'filter.bad_type', 'latitude is a field'],
  ['plaice =near= (59.3, 18.1, 5)', 'filter.unknown_field', "no point 'plaice'"],
  ['place == 59.3', 'filter.bad_type', 'place is a point: only =near= applies to it'],
])('%s is refused', async (q, code, message) => {
  const { status, body } = await search(q);
  expect([status, body.errors[0].code]).toEqual([400, code]);
  expect(body.errors[0].message).toContain(message);
});

test.each([
  [`${STOCKHOLM}`, 'place.distance,place.distance', 'duplicate key'],
  ['id > 1', 'place.distance', 'needs one condition place =near='],
  [`${STOCKHOLM} or place =near= (1, 2, 3)`, 'place.distance', 'needs one condition'],
  [STOCKHOLM, 'owner.distance', 'needs one condition owner =near='],
  [STOCKHOLM, 'latitude.distance', "no field 'latitude.distance'"],
])('%s by %s is refused', async (q, order, message) => {
  const { status, body } = await search(q, `&order_by=${order}`);
  expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining(message)]);
});

test.each([
  [{ place: { latitude: 'name', longitude: 'longitude' } }, 'must be a decimal'],
  [{ place: { latitude: 'lat', longitude: 'longitude' } }, 'there is no field "lat"'],
  [{ place: { latitude: 'latitude' } }, ''],
  [{ latitude: { latitude: 'latitude', longitude: 'longitude' } }, 'is a field already'],
  [{ 'a b': { latitude: 'latitude', longitude: 'longitude' } }, ''],
  [{ id: { latitude: 'latitude', longitude: 'longitude' } }, ''],
  [Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`p${at}`, SPEC.points.place])), 'at most 10 points'],
])('points %j are refused', async (points, message) => {
  const { status, body } = await api.call('PUT', '/v2/datasets/others', { body: { spec: { ...SPEC, points } } });
  expect([status, body.errors[0].message]).toEqual([422, expect.stringContaining(message)]);
});
