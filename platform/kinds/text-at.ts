import { isRecord } from './lenient.js';

/** Returns the text at a path of names joined by dots; undefined where there is none. */
export function textAt(value: unknown, path: string): string | undefined {
  let found = value;
  for (const name of path.split('.')) found = isRecord(found) ? found[name] : undefined;
  return typeof found === 'string' ? found : undefined;
}
