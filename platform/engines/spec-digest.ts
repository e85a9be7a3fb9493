import { createHash } from 'node:crypto';
import type { ContainerSpec } from './driver.js';

/** SHA-256 (hex) of a container spec, whatever the order of its keys: the `spec` label of the attach rule. */
export function specDigest(spec: ContainerSpec): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(spec)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}
