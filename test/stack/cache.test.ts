import { spawn } from 'node:child_process';
import { readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureBuilt, exists } from '../../stack/cache.js';
import { inScratchFolder, until } from './scratch.js';

const signal = new AbortController().signal;
const STALE_MS = 2_000;

test('an entry is built once and then found', async () => {
  await inScratchFolder(async (folder) => {
    const path = join(folder, 'tool-1');
    const options = { signal, onWait: () => undefined };
    const build = async (target: string) => writeFile(join(target, 'tool'), 'whole');
    expect(await ensureBuilt(path, build, options)).toBe(true);
    expect(await ensureBuilt(path, build, options)).toBe(false);
    expect(await readFile(join(path, 'tool'), 'utf8')).toBe('whole');
  });
});

test('a builder killed in the middle leaves nothing that looks built, and the next one starts afresh', async () => {
  await inScratchFolder(async (folder) => {
    const path = join(folder, 'tool-1');
    const script = join(import.meta.dirname, 'endless-builder.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', script, path], { stdio: 'inherit' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const partial = async () => (await readdir(folder)).find((name) => name.includes('.partial-'));
    await until(async () => {
      const name = await partial();
      return name !== undefined && (await exists(join(folder, name, 'tool')));
    });
    child.kill('SIGKILL');
    await ended;
    expect(await exists(path)).toBe(false);
    // As if it had died just now: on a busy machine that may be a while ago.
    await utimes(`${path}.lock`, new Date(), new Date());

    const waits: string[] = [];
    const build = async (target: string) => {
      expect(await readdir(target)).toEqual([]);
      await writeFile(join(target, 'tool'), 'whole');
    };
    await ensureBuilt(path, build, { signal, onWait: () => waits.push('waited'), staleMs: STALE_MS });
    expect(waits).toEqual(['waited']);
    expect(await readFile(join(path, 'tool'), 'utf8')).toBe('whole');
    expect(await readdir(folder)).toEqual(['tool-1']);
  });
});

test('of two builders at once one builds and the other waits for it', async () => {
  await inScratchFolder(async (folder) => {
    const path = join(folder, 'tool-1');
    let builds = 0;
    let waits = 0;
    const build = async (target: string) => {
      builds += 1;
      await writeFile(join(target, 'tool'), 'whole');
      await until(() => waits > 0);
    };
    const options = { signal, onWait: () => void (waits += 1) };
    const built = await Promise.all([ensureBuilt(path, build, options), ensureBuilt(path, build, options)]);
    expect(built.sort()).toEqual([false, true]);
    expect(builds).toBe(1);
  });
});

test('a failed build leaves no trace and can be repeated', async () => {
  await inScratchFolder(async (folder) => {
    const path = join(folder, 'tool-1');
    const options = { signal, onWait: () => undefined };
    await expect(ensureBuilt(path, () => Promise.reject(new Error('no network')), options)).rejects.toThrow(
      'no network',
    );
    expect(await readdir(folder)).toEqual([]);
    expect(await ensureBuilt(path, async () => undefined, options)).toBe(true);
  });
});
