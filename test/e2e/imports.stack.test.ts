import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../examples/wine/demo/client.js';
import { startProcess } from '../../workers/compose/supervisor.js';
import { findTestPortBase } from '../stack/port-base.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { until } from './until.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, 600_000);
afterAll(() => platform.stop());

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
  const middle = await until(
    'some rows',
    async () => {
      const { status } = await look(id);
      return status.rows_read > 0 && status;
    },
    { pollMs: 10 },
  );
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
}, 600_000);

interface Row {
  id: string;
  name: string;
  grade: number;
}
interface Page {
  items: Row[];
  dataset_version: number;
  total_size: number;
  next_page_token?: string;
}
interface Changes {
  items: { dataset_version: number; id: string; entity: Row | null }[];
  next_after: number;
}

test('walks over two processes see each row of their version once, whatever is written meanwhile', async () => {
  const base = await findTestPortBase();
  const ports = { SLIPWAY_API_PORT: String(base), SLIPWAY_API_INTERNAL_PORT: String(base + 1) };
  const environment = { ...platform.environment, ...ports };
  const logDir = join(platform.folder, 'second-api');
  const second = await startProcess('api', { ...platform.options, environment, logDir });
  const [, token = ''] = platform.admin.headers.authorization.split(' ');
  const apis = [platform.environment, environment].map(({ SLIPWAY_API_PORT }) => {
    const baseUrl = `http://127.0.0.1:${SLIPWAY_API_PORT}`;
    return { baseUrl, ...createClient({ baseUrl, token }) };
  });
  /** One of the two may be a moment behind the other. */
  const ask = <T>(nth: number, path: string): Promise<T> =>
    until(path, async () => {
      const reply = await apis[nth % 2]?.call<T>('GET', path).catch((err: Error) => {
        if (!err.message.includes('replica.behind') && !err.message.includes('dataset.not_found')) throw err;
      });
      return reply?.body;
    });
  const rowOf = (n: number, round: number) => ({
    name: `${(n * 7 + round * 13) % 97} of ${n}`,
    grade: (n + round) % 5,
  });

  async function walk(path: string): Promise<{ version: number; total: number; rows: Row[] }> {
    const rows: Row[] = [];
    let page = await ask<Page>(0, path);
    const { dataset_version: version, total_size: total } = page;
    for (let nth = 1; ; nth += 1) {
      expect(page.dataset_version).toBe(version);
      rows.push(...page.items);
      if (page.next_page_token === undefined) return { version, total, rows };
      page = await ask<Page>(nth, `${path}&page_token=${encodeURIComponent(page.next_page_token)}`);
    }
  }

  try {
    const fields = { name: { type: 'text', required: true }, grade: { type: 'integer' } };
    const spec = { fields, allow_blind_put: true };
    await apis[0]?.call('PUT', '/v2/datasets/walked', { kind: 'Dataset', id: 'walked', spec });
    const items = Array.from({ length: 400 }, (_, n) => ({ op: 'put', id: String(n + 1), entity: rowOf(n + 1, 0) }));
    await apis[0]?.call('POST', '/v2/walked/batch', items);
    await until('both have them', async () => (await ask<Page>(1, '/v2/walked?page_size=1')).total_size === 400);

    let walking = true;
    /** Each process writes rows of its own: some change their place in the order, some go, some come. */
    const writing = apis.map(async (api, own) => {
      for (let round = 1; walking; round += 1) {
        const n = 1 + own + ((round * 74) % 450);
        await api.call('PUT', `/v2/walked/${n}`, rowOf(n, round));
        if (round % 3 === 0) {
          await fetch(`${api.baseUrl}/v2/walked/${n}`, {
            method: 'DELETE',
            headers: { authorization: `Bearer ${token}`, 'if-match': '*' },
          });
        }
      }
    });
    const paths = ['/v2/walked?order_by=name&page_size=15', '/v2/walked/search?q=grade>2&page_size=8'];
    const walks = await Promise.all([...paths, ...paths].map(walk)).finally(() => (walking = false));
    await Promise.all(writing);

    // The rows at a version, folded from the log.
    const changes: Changes['items'] = [];
    for (let after = 0, more = true; more;) {
      const body: Changes = await ask(0, `/v2/datasets/walked/changes?after=${after}`);
      changes.push(...body.items);
      more = body.next_after > after;
      after = body.next_after;
    }
    for (const [nth, { version, total, rows }] of walks.entries()) {
      const state = new Map<string, Row | null>();
      for (const { dataset_version, id, entity } of changes) if (dataset_version <= version) state.set(id, entity);
      const wanted = [...state.values()].filter((row) => row !== null && (nth % 2 === 0 || row.grade > 2)) as Row[];
      const keyed = (all: Row[]) => all.map(({ id, name, grade }) => [BigInt(id), name, grade]).sort();
      expect(keyed(rows)).toEqual(keyed(wanted));
      expect(total).toBe(wanted.length);
      // Writes went on behind it.
      expect(changes.at(-1)?.dataset_version).toBeGreaterThan(version);
    }
  } finally {
    await second.stop();
  }
});

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
});
