import { afterAll, beforeAll, expect, test } from 'vitest';
import { SKILLS, startTestReference, type TestReference } from './test-reference.js';

let api: TestReference;
const ID = '9007199254740993';
beforeAll(async () => {
  api = await startTestReference();
  const spec = { ...SKILLS, lookup: { fields: ['name'] } };
  await api.call('PUT', '/v2/datasets/skills', { body: { kind: 'Dataset', id: 'skills', spec } });
  await api.call('PUT', `/v2/skills/${ID}`, { body: { name: 'Welding', level: 3 } });
  await api.call('PUT', '/v2/skills/8', { body: { name: 'Rigging', level: 5 } });
});
afterAll(() => api.stop());

const NUMBERS = { accept: 'application/json; ids=number' };
const get = (path: string, headers: Record<string, string> = {}) => api.call('GET', path, { headers });
const tagOf = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
  (await get(path, headers)).headers.get('etag') ?? '';

/** Every representation of the same rows. */
const REPRESENTATIONS: [path: string, headers?: Record<string, string>][] = [
  [`/v2/skills/${ID}`],
  [`/v2/skills/${ID}`, NUMBERS],
  [`/v2/skills/${ID}?fields=name`],
  [`/v2/skills/${ID}?fields=level`],
  [`/v2/skills/${ID}?fields=name`, NUMBERS],
  ['/v2/skills'],
  ['/v2/skills', NUMBERS],
  ['/v2/skills?page_size=1'],
  ['/v2/skills?order_by=name%20desc'],
  ['/v2/skills?fields=name'],
  ['/v2/skills?count=none'],
  ['/v2/skills?ids=8'],
  [`/v2/skills?ids=8,${ID}`],
  [`/v2/skills?ids=${ID},8`],
  ['/v2/skills/search?q=level>3'],
  ['/v2/skills/search?q=level>4'],
  ['/v2/skills/lookup?q=w'],
  ['/v2/skills/lookup?q=r'],
];

test('a strong tag is that of one sequence of bytes: representations that differ have tags that differ', async () => {
  const byTag = new Map<string, string>();
  for (const [path, headers] of REPRESENTATIONS) {
    const reply = await get(path, headers);
    const tag = `${path.split('?')[0]} ${reply.headers.get('etag')}`;
    // Tokens are sealed with random bytes: they are no part of the state.
    const text = reply.text.replace(/"next_page_token":"[^"]*"/, '');
    expect([path, byTag.get(tag) ?? text]).toEqual([path, text]);
    byTag.set(tag, text);
  }
  expect(byTag.size).toBeGreaterThan(10);
});

test.each(REPRESENTATIONS)('%s %j is not sent again to a client that has it', async (path, headers) => {
  const etag = await tagOf(path, headers);
  expect(etag).toMatch(/^(W\/)?"[^"]+"$/);
  const plain = etag.replace(/^W\//, '');
  for (const known of [etag, plain, `W/${plain}`, `"other", ${plain}`, `${plain},"x"`, '*']) {
    const reply = await get(path, { ...headers, 'if-none-match': known });
    expect([known, reply.status, reply.text, reply.headers.get('etag')]).toEqual([known, 304, '', etag]);
    expect(reply.headers.get('cache-control')).toContain('private');
  }
  for (const other of ['"other"', 'other', plain.slice(1, -1), `"${plain}"`, '""', ',']) {
    expect([other, (await get(path, { ...headers, 'if-none-match': other })).status]).toEqual([other, 200]);
  }
});

test('a read without a body has the same headers as one with it', async () => {
  for (const [path, headers] of REPRESENTATIONS) {
    const [full, head] = [await get(path, headers), await api.call('HEAD', path, { ...(headers && { headers }) })];
    expect([path, head.status, head.text]).toEqual([path, full.status, '']);
    for (const name of ['etag', 'content-type', 'cache-control', 'vary', 'slipway-version']) {
      expect([path, name, head.headers.get(name)]).toEqual([path, name, full.headers.get(name)]);
    }
  }
});

test('a write changes the tags of what it changes, and of nothing else', async () => {
  const paths = [`/v2/skills/${ID}`, `/v2/skills/${ID}?fields=name`, '/v2/skills/8', '/v2/skills?ids=8'];
  const before = await Promise.all(paths.map((path) => tagOf(path)));
  await api.call('PATCH', `/v2/skills/${ID}`, { body: { level: 4 }, headers: { 'if-match': '*' } });
  const after = await Promise.all(paths.map((path) => tagOf(path)));
  expect(after.slice(0, 3).map((tag, at) => tag === before[at])).toEqual([false, false, true]);
  // A write that changes nothing leaves the tag.
  await api.call('PATCH', `/v2/skills/${ID}`, { body: { level: 4 }, headers: { 'if-match': '*' } });
  expect(await tagOf(paths[0] ?? '')).toBe(after[0]);
});

test('of writers with the same tag exactly one succeeds', async () => {
  const etag = await tagOf('/v2/skills/8');
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, level) =>
      api.call('PATCH', '/v2/skills/8', { body: { level: 100 + level }, headers: { 'if-match': etag } }),
    ),
  );
  const statuses = replies.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([200, ...Array<number>(7).fill(412)]);
  const refused = replies.find(({ status }) => status === 412);
  expect(refused?.body.etag).toBe(await tagOf('/v2/skills/8'));
});

test('the tag of any representation may be sent back with a write', async () => {
  for (const [path, headers] of [['/v2/skills/8'], ['/v2/skills/8?fields=name'], ['/v2/skills/8', NUMBERS]] as const) {
    const etag = await tagOf(path, headers);
    const level = Math.trunc(Math.random() * 1e9) + 200;
    const reply = await api.call('PATCH', '/v2/skills/8', { body: { level }, headers: { 'if-match': etag } });
    expect([path, reply.status]).toEqual([path, 200]);
  }
});

test('a tag of an earlier declaration names its version still', async () => {
  const etag = await tagOf('/v2/skills/8');
  const fields = { ...SKILLS.fields, note: { type: 'text' } };
  const spec = { ...SKILLS, fields, lookup: { fields: ['name'] } };
  await api.call('PUT', '/v2/datasets/skills', { body: { kind: 'Dataset', id: 'skills', spec } });
  expect(await tagOf('/v2/skills/8')).not.toBe(etag);
  const reply = await api.call('PATCH', '/v2/skills/8', { body: { note: 'x' }, headers: { 'if-match': etag } });
  expect(reply.status).toBe(200);
});
