import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { until } from './until.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, 300_000);
afterAll(() => platform.stop(), 60_000);

const ROWS = 30_000;
const FIRST = 9_007_199_254_740_993n; // above 2^53 on purpose
const row = (n: number): string => JSON.stringify({ id: String(FIRST + BigInt(n)), name: `Skill ${n}` });

interface Import {
  id: string;
  status: { state: string; rows_read: number; created: number; version_to?: number };
}
const get = async <T>(path: string, headers: Record<string, string> = {}): Promise<T> =>
  (await platform.admin.call<T>('GET', path, undefined, headers)).body;

async function upload(text: string, query = ''): Promise<string> {
  const { authorization } = platform.admin.headers;
  const headers = { authorization, 'content-type': 'application/x-ndjson' };
  const reply = await fetch(`${platform.baseUrl}/v2/skills/imports${query}`, { method: 'POST', headers, body: text });
  expect(reply.status).toBe(202);
  return ((await reply.json()) as Import).id;
}
const look = (id: string): Promise<Import> => get(`/v2/skills/imports/${id}`);

test('a worker killed in the middle of an import loses and doubles nothing', async () => {
  const fields = { name: { type: 'text', required: true } };
  await platform.admin.call('PUT', '/v2/datasets/skills', { kind: 'Dataset', id: 'skills', spec: { fields } });
  const id = await upload(Array.from({ length: ROWS }, (_, n) => row(n)).join('\n'));
  const middle = await until('some rows', async () => {
    const { status } = await look(id);
    return status.rows_read > 0 && status;
  });
  platform.signal('worker', 'SIGKILL');
  expect(middle.state).toBe('running');
  expect(middle.rows_read).toBeLessThan(ROWS);

  const done = await until('its end', async () => {
    const found = await look(id);
    return found.status.state !== 'running' && found;
  });
  expect(done.status).toMatchObject({ state: 'succeeded', rows_read: ROWS, created: ROWS, updated: 0, failed: 0 });

  // Each row is there once, and was written once: its first version is its last.
  const seen = new Set<string>();
  const headers = { 'slipway-min-version': String(done.status.version_to) };
  let token = '';
  do {
    const page = await get<{ items: { id: string; name: string; version: number }[]; next_page_token?: string }>(
      `/v2/skills?page_size=500&count=none${token && `&page_token=${encodeURIComponent(token)}`}`,
      headers,
    );
    for (const item of page.items) {
      expect([item.name, item.version]).toEqual([`Skill ${BigInt(item.id) - FIRST}`, 1]);
      seen.add(item.id);
    }
    token = page.next_page_token ?? '';
  } while (token !== '');
  expect(seen.size).toBe(ROWS);
}, 300_000);

test('a killed API starts from its snapshot, and answers as before', async () => {
  const folder = join(platform.folder, 'snapshots', String(platform.environment.SLIPWAY_DATABASE), 'skills');
  await until('a snapshot', async () => {
    const names = await readdir(folder).catch(() => []);
    return names.some((name) => name.endsWith('.gz'));
  });
  const before = await platform.admin.text('/v2/skills?page_size=100&order_by=name%20desc&fields=name&count=exact');
  const counted = (text: string): unknown[] => {
    const { items, total_size, dataset_version } = JSON.parse(text) as Record<string, unknown>;
    return [items, total_size, dataset_version];
  };
  platform.signal('api', 'SIGKILL');
  const after = await until('an answer', () =>
    platform.admin.text('/v2/skills?page_size=100&order_by=name%20desc&fields=name&count=exact').catch(() => undefined),
  );
  expect(counted(after)).toEqual(counted(before));
}, 120_000);
