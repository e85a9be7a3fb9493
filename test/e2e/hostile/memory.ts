import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const MEBI = 2 ** 20;
type Processes = Readonly<Record<string, { pid?: number }>>;
/** MiB by the name of a process. */
type Memory = Readonly<Record<string, number>>;

/** The limit of what a process may keep of a whole table. */
const MOST_GROWTH_MIB = 50;

/** The resident memory of each process. */
export function measureMemory(processes: Processes): Memory {
  const rows = Object.entries(processes).map(([name, { pid }]) => {
    const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return [name, Math.round((Number(kib) * 1_024) / MEBI)] as const;
  });
  return Object.fromEntries(rows);
}

/** The growth since then; a process has half a minute for its collector to come. */
export async function growthSince(before: Memory, processes: Processes): Promise<Memory> {
  const now = (): Memory => grown(before, measureMemory(processes));
  for (let second = 0; second < 30 && Object.keys(now()).length > 0; second += 1) await sleep(1_000);
  return now();
}

/** The processes that grew by more than the limit, each with its MiB. */
const grown = (before: Memory, after: Memory): Memory =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, mib]) => [name, mib - (before[name] ?? 0)] as const)
      .filter(([, mib]) => mib > MOST_GROWTH_MIB),
  );

/**
 * Repeats work until two rounds in a row have grown no process by more than the limit: the heap of Node.js grows for some
 * rounds before its collector comes, and what is kept grows for ever.
 * @returns the growth of the last two rounds; empty once the memory has settled
 */
export async function settle(processes: Processes, round: () => Promise<void>, mostRounds = 16): Promise<Memory> {
  const measured: Memory[] = [measureMemory(processes)];
  for (let count = 1; count <= mostRounds; count += 1) {
    await round();
    measured.push(measureMemory(processes));
    const [before] = measured.slice(-3);
    if (count >= 2 && before !== undefined && Object.keys(grown(before, measured.at(-1) ?? {})).length === 0) return {};
  }
  return grown(measured.at(-3) ?? {}, measured.at(-1) ?? {});
}
