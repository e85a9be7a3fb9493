import type { DeclaredFields } from '../dataset/dataset.js';
import type { LiveDataset } from './live-dataset.js';

/** Follows the positions of earlier declarations back to a generation. @returns `undefined` when it was purged */
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
