import type { DeclaredFields } from '../dataset/dataset.js';
import type { LiveDataset } from './live-dataset.js';

/** Each declaration names the place of the one before it: walks back to one. @returns `undefined` when it is not kept any more */
export async function findDeclaration(
  { replica, log }: Pick<LiveDataset, 'replica' | 'log'>,
  generation: number,
): Promise<DeclaredFields | undefined> {
  let position = replica.declaration?.position;
  while (position !== undefined) {
    const entry = await log.read(position);
    if (entry?.kind !== 'schema' || entry.schema < generation) return undefined;
    if (entry.schema === generation) return { fields: entry.spec.fields, generation };
    position = entry.before;
  }
  return undefined;
}
