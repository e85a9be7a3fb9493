import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends a signal. One that stops the process has arrived when this returns: on a busy machine its other threads go on
 * until the one that takes the signal gets processor time.
 */
export async function signalProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  while (signal === 'SIGSTOP' && !(await isStopped(pid))) await sleep(1);
}

async function isStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  const states = await Promise.all(
    threads.map(async (thread) => {
      // A thread that ends meanwhile does nothing any more either.
      const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '(ended) T');
      return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    }),
  );
  return states.every((state) => state === 'T');
}
