import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readdir, rm, truncate, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSpool } from '../../gateway/spool.js';
import { createUploader } from '../../gateway/uploader.js';
import { listSegments, sealSegment } from '../../gateway/segment.js';
import type { ObjectStore } from '../../platform/stores/objects.js';
import { createMemoryObjects } from '../../platform/stores/memory-objects.js';
import { createRecordIndex } from '../../lifecycle/stores/record-index.js';
import { bundleProgram } from '../../workers/compose/program.js';
import { eventually } from './edge.js';
import { silent } from './silent.js';
import { createFileObjects } from './file-objects.js';

/** Runs a program of this folder as a process of its own. */
async function start(program: string, ...args: string[]) {
  const path = await bundleProgram(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const output = { text: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
  return { child, output, ended: once(child, 'close') };
}

async function storedIds(objects: ObjectStore, tag = 'feedback/'): Promise<string[]> {
  const ids: string[] = [];
  for await (const { key } of objects.list(tag)) {
    const lines = (await objects.read(key)).toString().trimEnd().split('\n');
    ids.push(...lines.map((line): string => JSON.parse(line).request_id));
  }
  return ids;
}

test('a spool writer killed again and again: what it reported as written is stored once, torn tails are cut off', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-crash-'));
  const reported = new Set<string>();
  for (let life = 0; life < 4; life += 1) {
    const { child, output, ended } = await start('spool-child.ts', dir, String(life * 1_000_000));
    await eventually(() => output.text.length > 2_000);
    child.kill('SIGKILL');
    await ended;
    const lines = output.text.split('\n').slice(0, -1); // the last one may be cut
    for (const line of lines) reported.add(line);
    const open = (await listSegments(dir)).find(({ sealed }) => !sealed);
    // The remains of a crash in the middle of a write: once half a frame, once garbage.
    if (open !== undefined && life === 1) await appendFile(open.path, Buffer.alloc(40, 7));
    if (open !== undefined && life === 2) await appendFile(open.path, Buffer.from([200, 0, 0, 0, 1, 2, 3, 4, 5]));
  }
  const objects = createMemoryObjects();
  await createUploader({ spoolDir: dir, objects, log: silent }).runOnce({ all: true });
  const ids = await storedIds(objects);
  expect(ids).toHaveLength(new Set(ids).size);
  const stored = new Set(ids);
  expect([...reported].filter((id) => !stored.has(id))).toEqual([]);
  expect(reported.size).toBeGreaterThan(400);
  await rm(dir, { recursive: true });
});

test('a gateway killed under load: every call that was answered is recorded, none twice', async () => {
  const { child, output, ended } = await start('gateway-child.ts');
  await eventually(() => output.text.endsWith('\n'));
  const { url, dir, spoolDir, authorization } = JSON.parse(output.text);
  const answered: string[] = [];
  let alive = true;
  const caller = async (name: number): Promise<void> => {
    for (let n = 0; alive; n += 1) {
      const id = `${name}-${n}`;
      const headers = { authorization, 'request-id': id };
      const reply = await fetch(`${url}/model/wine/api/model/invoke`, { method: 'POST', headers, body: '{}' });
      await reply.text();
      answered.push(id);
      if (answered.length === 300) child.kill('SIGKILL');
    }
  };
  await Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map((name) => caller(name)));
  alive = false;
  await ended;
  expect(answered.length).toBeGreaterThanOrEqual(300);
  const objects = createMemoryObjects();
  await createUploader({ spoolDir, objects, log: silent }).runOnce({ all: true });
  for (const tag of ['request_response/', 'response_body/']) {
    const ids = await storedIds(objects, tag);
    expect(ids).toHaveLength(new Set(ids).size);
    const stored = new Set(ids);
    expect(answered.filter((id) => !stored.has(id))).toEqual([]);
  }
  await rm(dir, { recursive: true });
});

test('a segment whose last frame is torn is sealed without it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-crash-'));
  const spool = await createSpool({ dir, log: silent });
  for (const requestId of ['a', 'b']) {
    const head = { kind: 'feedback' as const, at: Date.now(), requestId, modelName: 'm', modelVersion: '1' };
    await spool.append({ head, first: Buffer.from('{}'), second: Buffer.alloc(0) });
  }
  const [segment] = await listSegments(dir);
  if (segment === undefined) throw new Error('there is no segment');
  await truncate(segment.path, (await stat(segment.path)).size - 1);
  await sealSegment(dir, segment.name);
  const objects = createMemoryObjects();
  await createUploader({ spoolDir: dir, objects, log: silent }).runOnce();
  expect(await storedIds(objects)).toEqual(['a']);
  expect((await listSegments(dir)).map(({ name }) => name)).toEqual([]);
  await spool.close();
  await rm(dir, { recursive: true });
});

test('an uploader killed at every step of its work with the store neither loses nor doubles a record', async () => {
  const work = await mkdtemp(join(tmpdir(), 'slipway-crash-'));
  const [spoolDir, objectsDir] = [join(work, 'spool'), join(work, 'objects')];
  const expected: string[] = [];
  let steps = 0;
  for (let finished = false; !finished;) {
    steps += 1;
    const spool = await createSpool({ dir: spoolDir, log: silent });
    for (const modelName of ['m', 'n']) {
      const requestId = `${modelName}${steps}`;
      expected.push(requestId);
      const head = { kind: 'feedback' as const, at: Date.UTC(2026, 0, 1), requestId, modelName, modelVersion: '1' };
      await spool.append({ head, first: Buffer.from('{}'), second: Buffer.alloc(0) });
    }
    await spool.close();
    const killed = await start('uploader-child.ts', spoolDir, objectsDir, String(steps));
    await killed.ended;
    if (killed.output.text.includes('done')) finished = true;
    else expect(killed.child.signalCode).toBe('SIGKILL');
    // The next life finishes what the killed one began.
    const objects = createFileObjects(objectsDir);
    await createUploader({ spoolDir, objects, log: silent }).runOnce({ all: true });
    expect((await storedIds(objects)).sort()).toEqual([...expected].sort());
    const found = await createRecordIndex({ objects }).find(expected);
    expect(expected.filter((id) => found.get(id)?.length !== 1)).toEqual([]);
  }
  expect(steps).toBeGreaterThan(6); // two models: two lists, two puts, each before and after
  const left = await readdir(spoolDir, { recursive: true });
  expect(left.filter((name) => name !== 'uploads')).toEqual([]);
  await rm(work, { recursive: true });
});

test('a segment that cannot be sealed is named, and the next gateway seals the others', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-crash-'));
  await mkdir(join(dir, '0-broken.open'));
  await writeFile(join(dir, '1-left.open'), '');
  const warned: unknown[] = [];
  const log = { ...silent, warn: ({ segment }: { segment?: string }) => void warned.push(segment) };
  const spool = await createSpool({ dir, log });
  expect((await listSegments(dir)).map(({ name, sealed }) => [name, sealed])).toEqual([
    ['0-broken', false],
    ['1-left', true],
  ]);
  expect(warned).toEqual(['0-broken']);
  await spool.close();
  await rm(dir, { recursive: true });
});
