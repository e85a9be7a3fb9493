import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const MEBI = 2 ** 20;
/** The limit of what a process may keep of a whole table. */
export const MOST_GROWTH_MIB = 50;

/** The resident memory of a process in bytes. */
function residentBytes(pid: number | undefined): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1_024;
}

/**
 * Starts to watch the memory of processes.
 * @returns a function that gives the names of those that grew by more than the limit, each with its MiB. The collector of
 * Node.js frees memory late: a process has some seconds to come down.
 */
export function watchMemory(processes: Readonly<Record<string, { pid?: number }>>) {
  const pids = Object.entries(processes).map(([name, { pid }]) => [name, pid] as const);
  const before = new Map(pids.map(([name, pid]) => [name, residentBytes(pid)]));
  const grown = (): Record<string, number> =>
    Object.fromEntries(
      pids
        .map(([name, pid]) => [name, Math.round((residentBytes(pid) - (before.get(name) ?? 0)) / MEBI)] as const)
        .filter(([, mib]) => mib > MOST_GROWTH_MIB),
    );
  return async (seconds = 10): Promise<Record<string, number>> => {
    for (let second = 0; second < seconds && Object.keys(grown()).length > 0; second += 1) await sleep(1_000);
    return grown();
  };
}
