import { readFileSync } from 'node:fs';
import type { PlatformProcess } from '../../workers/compose/keep-running.js';
import { median } from '../report.js';

const LOOK_MS = 5_000;

/** Resident memory of a process in MiB; where /proc tells. */
function rssOf(pid: number): number {
  const [, kibibytes = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}

/** The most that a process holds from now on, in MiB, and what it held at the beginning. */
export function watchHighest(watched: PlatformProcess, lookMs = 100) {
  const began = watched.pid;
  if (began === undefined) throw new Error('the process does not run');
  const before = rssOf(began);
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, rssOf(began))), lookMs);
  return {
    now: (): number => Math.round(rssOf(began)),
    /** @throws when it is another process by now */
    stop() {
      clearInterval(timer);
      if (watched.pid !== began) throw new Error('the process was started again meanwhile');
      return { before: Math.round(before), most: Math.round(most) };
    },
  };
}

/** Samples the memory of a process until it is stopped, and prints a line a minute. */
export function watchMemory(watched: PlatformProcess) {
  const began = watched.pid;
  if (began === undefined) throw new Error('the process does not run');
  const samples: number[] = [];
  const look = (): void => {
    samples.push(rssOf(began));
    const seconds = ((samples.length - 1) * LOOK_MS) / 1_000;
    if (seconds % 60 === 0) console.log(`minute ${seconds / 60}: the worker holds ${samples.at(-1)?.toFixed(0)} MiB`);
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return {
    /** Medians of the first, the middle and the last tenth. @throws when it is another process by now */
    stop() {
      clearInterval(timer);
      if (watched.pid !== began) throw new Error('the worker was started again meanwhile');
      const tenth = Math.max(1, Math.floor(samples.length / 10));
      const middle = Math.floor((samples.length - tenth) / 2);
      const of = (from: number): number => Math.round(median(samples.slice(from, from + tenth)));
      return {
        start: of(0),
        middle: of(middle),
        end: of(samples.length - tenth),
        most: Math.round(Math.max(...samples)),
      };
    },
  };
}
