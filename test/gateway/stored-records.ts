import type { ObjectStore } from '../../platform/stores/objects.js';

/** Keys of the record files; their index has a test of its own. */
export async function keysOf(objects: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list('')) if (!key.includes('record_index/')) keys.push(key);
  return keys;
}

export async function linesOf(objects: ObjectStore, tag: string): Promise<Record<string, unknown>[]> {
  const keys = (await keysOf(objects)).filter((key) => key.startsWith(tag));
  const texts = await Promise.all(keys.map(async (key) => (await objects.read(key)).toString()));
  return texts.flatMap((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
}

export const feedbackAt = (at: number, requestId = 'r', modelName = 'm') => ({
  head: { kind: 'feedback' as const, at, requestId, modelName, modelVersion: '1' },
  first: Buffer.from('{}'),
  second: Buffer.alloc(0),
});
