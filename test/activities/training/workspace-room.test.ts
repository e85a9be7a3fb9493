import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fetchRepository } from '../../../activities/training/git.js';
import { downloadObjects } from '../../../activities/training/workspace.js';
import { createRoom, withinRoom } from '../../../activities/training/workspace-room.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { commitFiles, makeRepository } from './repository.js';

const MIB = 2 ** 20;
const full = expect.objectContaining({
  ...{ code: 'run_failed', detail: expect.objectContaining({ reason: 'DataCopyFailed' }) },
  message: expect.stringContaining('SLIPWAY_MAX_WORKSPACE_GIB'),
});
const signal = new AbortController().signal;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'room-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a download stops where the room ends', async () => {
  const objects = createMemoryObjects();
  for (const key of ['data/a', 'data/b', 'data/c']) await objects.put(key, Buffer.alloc(MIB));
  const room = createRoom(2.5 * MIB);
  await expect(downloadObjects(objects, 'data', await newFolder(), { room })).rejects.toEqual(full);
  expect(await downloadObjects(objects, 'data', await newFolder(), { room: createRoom(3 * MIB) })).toBe(3);
});

test('a repository larger than the room is refused, and one that fits takes its share', async () => {
  const home = await newFolder();
  const repository = join(home, 'repository');
  await makeRepository(repository);
  await commitFiles(repository, { 'large.txt': 'x'.repeat(2 * MIB) });
  const fetch = async (maxBytes: number) => {
    const [folder, room] = [await newFolder(), createRoom(maxBytes)];
    const work = (ending: AbortSignal) =>
      fetchRepository({ uri: repository, folder, localRoots: [home], signal: ending });
    await withinRoom({ folder, room, signal }, work);
    return room.left();
  };
  await expect(fetch(MIB)).rejects.toEqual(full);
  expect(await fetch(4 * MIB)).toBeLessThan(2 * MIB);
});

test('a program that fills the folder is ended while it runs', async () => {
  const folder = await newFolder();
  const writeOn = async (ending: AbortSignal): Promise<void> => {
    for (;;) {
      ending.throwIfAborted();
      await appendFile(join(folder, 'endless'), Buffer.alloc(MIB));
      await sleep(5);
    }
  };
  await expect(withinRoom({ folder, room: createRoom(3 * MIB), signal, pollMs: 10 }, writeOn)).rejects.toEqual(full);
  expect(await readdir(folder)).toEqual(['endless']);
});

test('the end of the run is not taken for a full folder', async () => {
  const stop = new AbortController();
  const watched = { folder: await newFolder(), room: createRoom(MIB), signal: stop.signal, pollMs: 5 };
  const running = withinRoom(watched, async (ending) => {
    while (!ending.aborted) await sleep(5);
    throw new Error('canceled');
  });
  stop.abort();
  await expect(running).rejects.toThrow('canceled');
});
