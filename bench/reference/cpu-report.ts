import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Lets the parent ask for the processor time of this process. */
export function reportCpu(): void {
  process.on('message', (asked) => {
    if (asked !== 'cpu') return;
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
}

/** Microseconds of processor time that a child has used, which reports them. */
export async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [used] = await once(child, 'message');
  return used as number;
}
