import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AnyResource } from '../../../platform/kinds/resource.js';
import { createFeed } from '../../../platform/stores/resource-feed.js';
import { connectDatabase } from '../../../platform/stores/mongo-database.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { nameTestDatabase } from './test-database.js';

const script = fileURLToPath(new URL('increment-forever.ts', import.meta.url));

test('writers killed with -9 in the middle lose no acknowledged write, and each revision is in the feed once', async () => {
  const { uri, name, drop } = nameTestDatabase();
  const database = await connectDatabase(uri, name);
  const kind = 'ModelDeployment';
  const counters = createResources<AnyResource & { status: { count: number } }>({ database, kind });
  const id = randomUUID();
  const stamps = { createdAt: '', updatedAt: '', createdBy: '', updatedBy: '' };
  await counters.insert({ ...stamps, kind, id, uid: id, spec: {}, status: { count: 0 }, generation: 1, revision: 0 });

  const writers = Array.from({ length: 3 }, () => {
    const child = spawn(process.execPath, ['--import', 'tsx', script, uri, name, id], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const writer = { child, acknowledged: 0, closed: once(child, 'close') };
    child.stdout.on('data', (dots: Buffer) => (writer.acknowledged += dots.length));
    return writer;
  });
  const deadline = Date.now() + 120_000;
  while (writers.some(({ acknowledged }) => acknowledged < 5) && Date.now() < deadline) await sleep(20);
  for (const { child, closed } of writers) {
    child.kill('SIGKILL');
    await closed; // with all that it acknowledged
    await sleep(Math.random() * 50);
  }

  const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
  const count = (await counters.get(id))?.status.count ?? 0;
  expect(acknowledged).toBeGreaterThanOrEqual(15);
  expect(count).toBeGreaterThanOrEqual(acknowledged);
  expect(count).toBeLessThanOrEqual(acknowledged + writers.length); // one each was under way
  await counters.update(id, (current) => ({ ...current, generation: 2 }));

  const revisions: number[] = [];
  const feed = createFeed<AnyResource>({ database, kind });
  for (let cursor = 0; ;) {
    const page = await feed.read(cursor, 50);
    if (page.events.length === 0) break;
    revisions.push(...page.events.map(({ entity }) => entity?.revision ?? 0));
    cursor = page.cursor;
  }
  expect(revisions).toEqual(Array.from({ length: count + 2 }, (_, index) => index + 1));
  await database.close();
  await drop();
});
