import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects at once what nothing holds any more. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
