import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readStore, type ImageStore } from './image-store.js';
import { removeTree } from './remove-tree.js';

const Records = z.array(z.object({ folder: z.string(), id: z.string() }));

/**
 * The image stores that an engine needs: today's, and the earlier ones that its images were built upon. When one of
 * those is gone, such images are broken and break podman's lists: then the engine's storage is emptied. Everything in
 * it can be had again, from the registry or by a build.
 * @returns folders, newest first
 */
export async function rememberStores(engineFolder: string, current: ImageStore | undefined): Promise<string[]> {
  const file = join(engineFolder, 'image-stores.json');
  const text = await readFile(file, 'utf8').catch(() => '[]');
  const earlier = Records.parse(JSON.parse(text));
  const intact = await Promise.all(
    earlier.map(async ({ folder, id }) => (await readStore(folder).catch(() => undefined))?.id === id),
  );
  const kept = intact.every(Boolean) ? earlier : [];
  if (kept.length < earlier.length) await removeTree(join(engineFolder, 'storage'));
  const others = kept.filter(({ folder }) => folder !== current?.folder);
  const records = current ? [{ folder: current.folder, id: current.id }, ...others] : others;
  await mkdir(engineFolder, { recursive: true });
  await writeFile(file, JSON.stringify(records));
  return records.map(({ folder }) => folder);
}
