import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

/** Causes of pauses of a process, in milliseconds. */
export interface Pauses {
  /** The longest time in which its event loop did not turn. */
  loopMaxMs: number;
  /** The longest of them for garbage. */
  garbageMaxMs: number;
  /** How long its main thread was runnable without a processor, due to the machine. `NaN` where this is unknown. */
  waitedMs: number;
}

const RESOLUTION_MS = 1;
const NS = 1e6;

/** @returns a function that tells of the time since it was called before */
export function watchPauses(): () => Pauses {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let garbageMaxMs = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) garbageMaxMs = Math.max(garbageMaxMs, duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  let waitedBefore = waited();
  return () => {
    const now = waited();
    const pauses = { loopMaxMs: delay.max / NS - RESOLUTION_MS, garbageMaxMs, waitedMs: now - waitedBefore };
    delay.reset();
    garbageMaxMs = 0;
    waitedBefore = now;
    return pauses;
  };
}

/** Linux counts it for each thread: time on a processor, time waiting for one, turns. */
function waited(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / NS;
  } catch {
    return NaN;
  }
}

/** Lets the parent ask for the pauses of this process. */
export function reportPauses(): void {
  const take = watchPauses();
  process.on('message', (asked) => {
    if (asked === 'pauses') process.send?.(take());
  });
}

export async function pausesOf(child: ChildProcess): Promise<Pauses> {
  child.send('pauses');
  const [pauses] = await once(child, 'message');
  return pauses as Pauses;
}
