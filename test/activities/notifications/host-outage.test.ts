import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent } from 'undici';
import { afterEach, expect, test } from 'vitest';
import type { DrainResult } from '../../../activities/notifications/drain.js';
import { createWebhookHosts, type WebhookHosts } from '../../../activities/notifications/webhook-hosts.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { findTestPortBase } from '../../stack/port-base.js';
import { openReceiver, openScene } from './notification-scene.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Subscriptions of one database to paths of one host, each with one event that waits. */
async function subscribe(count: number, url: string) {
  const database = createMemoryDatabase();
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const scene = openScene(database);
      closing.push(scene.close);
      await scene.subscribe({ url: `${url}/${n}` });
      await scene.write(scene.change('1', 'Open'));
      return scene;
    }),
  );
}
type Scene = Awaited<ReturnType<typeof subscribe>>[number];

const attemptsOf = async (scenes: readonly Scene[]) => {
  const ledgers = await Promise.all(scenes.map(({ ledger, id }) => ledger.read({ subscription: id, sequence: 1 })));
  return ledgers.flatMap(({ attempts }) => attempts);
};
/** Drains one subscription after the other, at a time of all clocks. */
async function drainAll(scenes: readonly Scene[], hosts: WebhookHosts, at: number): Promise<DrainResult[]> {
  const results: DrainResult[] = [];
  for (const { drain } of scenes) {
    const began = Date.now();
    results.push(await drain({ hosts, idleMs: 5, now: () => new Date(at + Date.now() - began) }));
  }
  return results;
}

test('a host that refuses connections costs ten attempts and one probe, however many subscriptions it has', async () => {
  const port = await findTestPortBase();
  const scenes = await subscribe(14, `http://127.0.0.1:${port}`);
  const hosts = createWebhookHosts();
  const start = Date.now();

  const first = await drainAll(scenes, hosts, start);
  expect(await attemptsOf(scenes)).toHaveLength(10);
  const waiting = first.slice(10);
  for (const { summary, more, nextDueAt = '' } of waiting) {
    expect([summary?.health, summary?.unsettled, more]).toEqual(['failing', 1, false]);
    expect(Date.parse(nextDueAt)).toBeGreaterThanOrEqual(start + 30_000);
  }

  await drainAll(scenes.slice(10), hosts, start + 35_000);
  const attempts = await attemptsOf(scenes);
  expect(attempts).toHaveLength(11);
  expect(attempts.filter(({ end }) => end?.duringOutage)).toHaveLength(2);

  const receiver = createServer((request, response) => void request.resume().on('end', () => response.end()));
  await once(receiver.listen(port, '127.0.0.1'), 'listening');
  closing.push(async () => {
    receiver.closeAllConnections();
    await new Promise((done) => receiver.close(done));
  });
  const last = await drainAll(scenes, hosts, start + 40 * 60_000);
  expect(last.map(({ summary }) => [summary?.health, summary?.unsettled])).toEqual(scenes.map(() => ['active', 0]));
});

test('subscriptions at one host have no more attempts under way than its limit, and all get their turn', async () => {
  let [underWay, most] = [0, 0];
  const receiver = await openReceiver((_, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    setTimeout(() => {
      underWay -= 1;
      response.end();
    }, 20);
  });
  closing.push(receiver.close);
  const scenes = await subscribe(6, receiver.url);
  const hosts = createWebhookHosts({ perSecond: 1_000, concurrency: 2 });
  const results = await Promise.all(scenes.map(({ drain }) => drain({ hosts, idleMs: 1_000 })));
  expect(results.map(({ summary }) => summary?.unsettled)).toEqual(scenes.map(() => 0));
  expect(receiver.received).toHaveLength(6);
  expect(most).toBe(2);
});

test('a subscription stays failing while its attempt is the probe of its host', async () => {
  const agent = new Agent({
    connect: (_, callback) => void setTimeout(() => callback(new Error('refused'), null), 1_500),
  });
  const scene = openScene(createMemoryDatabase(), undefined, agent);
  closing.push(scene.close);
  const failing = { since: '2026-01-01T00:00:00.000Z', reason: 'refused' };
  await scene.subscribe({ url: 'http://a.example/hook' }, { failing });
  await scene.write(scene.change('1', 'Open'));

  const hosts = createWebhookHosts();
  const other = hosts.seat({ url: new URL('http://a.example/other'), now: Date.now(), wake: () => {} });
  const at = new Date(Date.now() - 60_000).toISOString();
  for (let n = 0; n < 10; n += 1) other.ended({ outcome: 'not_sent', at, bytesLeft: false, unreachable: true });
  const { summary } = await scene.drain({ hosts });
  expect(await attemptsOf([scene])).toMatchObject([{ end: { duringOutage: true } }]);
  expect(summary?.health).toBe('failing');
  expect((await scene.subscriptions.get(scene.id))?.status.failing).toEqual(failing);
});
