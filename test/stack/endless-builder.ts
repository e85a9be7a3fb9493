import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBuilt } from '../../stack/cache.js';

// Begins to build the entry that the argument names and never ends, until it is killed.
const [path = ''] = process.argv.slice(2);
const build = async (target: string) => {
  await writeFile(join(target, 'tool'), 'half');
  await sleep(60_000);
};
await ensureBuilt(path, build, { signal: new AbortController().signal, onWait: () => undefined, staleMs: 2_000 });
