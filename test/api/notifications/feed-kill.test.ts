import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seeded } from '../../notifications/watches/traces.js';
import type { Account } from './mortal-reader.js';
import { bundleProgram } from '../../../workers/compose/program.js';
import { startTestReference, type TestReference } from '../reference/test-reference.js';

const PROGRAM = await bundleProgram(new URL('mortal-reader.ts', import.meta.url));
const KILLS = 8;
const EVENTS = 120;

let api: TestReference;
let place: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'slipway-reader-'));
  api = await startTestReference();
  const fields = { title: { type: 'text' } };
  await api.call('PUT', '/v2/datasets/positions', { body: { kind: 'Dataset', id: 'positions', spec: { fields } } });
});
afterAll(async () => {
  await api.stop();
  await rm(place, { recursive: true });
});

/** @returns its commits, one by one, and its end */
function startReader(id: string, token: string, limit: number) {
  const given = [`${api.url}/v2/feed/${id}`, token, join(place, 'account.json'), String(limit)];
  const child = spawn(process.execPath, [PROGRAM, ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, commits: createInterface(child.stdout)[Symbol.asyncIterator](), ended };
}

test('a reader that keeps its place with its effects, killed at random, has each event once and in order', async () => {
  const random = seeded(20_10);
  const body = { name: 'reader', mode: 'pull', types: ['dataset.positions.*'] };
  const { id } = (await api.call('POST', '/v2/subscriptions', { body })).body as { id: string };
  const token = await api.tokenOf(['subscriptions:read', 'data:read:*']);
  const change = async (n: number): Promise<void> => {
    const row = { body: { title: `change ${n}` }, headers: { 'if-match': '*' } };
    const created = n < 10 ? { body: row.body } : row;
    expect((await api.call('PUT', `/v2/positions/${(n % 10) + 1}`, created)).status).toBeLessThan(300);
  };
  let [changes, committed] = [0, 0];
  for (let life = 0; life <= KILLS; life += 1) {
    const upTo = Math.floor((EVENTS * (life + 1)) / (KILLS + 1));
    const { child, commits, ended } = startReader(id, token, 1 + random(4));
    const writing = (async () => {
      while (changes < upTo) await change((changes += 1) - 1);
    })();
    if (life < KILLS) {
      // Between two commits, within one, or while it asks for more; each life has more events than it needs for these.
      for (let more = random(3); more >= 0; more -= 1) await commits.next();
      await sleep(random(15));
    } else {
      const isDone = async () => (await readAccount()).effects.length >= EVENTS;
      for (let line = await commits.next(); line.done !== true && !(await isDone());) line = await commits.next();
    }
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    await writing;
    const { effects } = await readAccount();
    expect(effects.length).toBeGreaterThan(committed);
    committed = effects.length;
  }
  const { items } = (await api.call('GET', `/v2/feed/${id}?limit=1000`)).body as { items: { notice_id: string }[] };
  expect(items).toHaveLength(EVENTS);
  expect((await readAccount()).effects).toEqual(items.map(({ notice_id }) => notice_id));
});

const readAccount = async (): Promise<Account> =>
  JSON.parse(await readFile(join(place, 'account.json'), 'utf8')) as Account;
