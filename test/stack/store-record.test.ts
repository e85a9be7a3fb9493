import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exists } from '../../stack/cache.js';
import { rememberStores } from '../../stack/store-record.js';
import { inScratchFolder } from './scratch.js';

async function makeStore(folder: string, id: string) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'store.json'), JSON.stringify({ id, base: 'debian' }));
  return { folder, id, base: 'debian' as const };
}

test('stores that images were built upon stay in use, today\u2019s first', async () => {
  await inScratchFolder(async (scratch) => {
    const engine = join(scratch, 'engine');
    const old = await makeStore(join(scratch, 'images-old'), 'a');
    const current = await makeStore(join(scratch, 'images-new'), 'b');
    expect(await rememberStores(engine, old)).toEqual([old.folder]);
    expect(await rememberStores(engine, current)).toEqual([current.folder, old.folder]);
    expect(await rememberStores(engine, current)).toEqual([current.folder, old.folder]);
  });
});

test.each([
  ['is gone', async (folder: string) => rm(folder, { recursive: true })],
  ['was built again', async (folder: string) => void (await makeStore(folder, 'another build'))],
])('when a store %s, images that stood on it are dropped with the engine\u2019s storage', async (_, change) => {
  await inScratchFolder(async (scratch) => {
    const engine = join(scratch, 'engine');
    const old = await makeStore(join(scratch, 'images-old'), 'a');
    await rememberStores(engine, old);
    await mkdir(join(engine, 'storage', 'overlay'), { recursive: true });
    await change(old.folder);
    const current = await makeStore(join(scratch, 'images-new'), 'b');
    expect(await rememberStores(engine, current)).toEqual([current.folder]);
    expect(await exists(join(engine, 'storage'))).toBe(false);
  });
});
