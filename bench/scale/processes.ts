import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TICKS_PER_SECOND = 100;

type Seconds = Record<string, number>;

/** The processor time that each process has used, in seconds; 0 for one that is gone. */
export function cpuSeconds(pids: Readonly<Record<string, number>>): Seconds {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, secondsOf(pid)]));
}

function secondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** The processor time of each process between two looks, rounded to 10 ms. */
export const since = (before: Seconds, after: Seconds): Seconds =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, round(value - (before[name] ?? 0))]));

/** The processor time that each process takes, in percent of one core. */
export async function cpuPercent(pids: Readonly<Record<string, number>>, duringMs: number): Promise<Seconds> {
  const [before, at] = [cpuSeconds(pids), performance.now()];
  await sleep(duringMs);
  const seconds = (performance.now() - at) / 1_000;
  const used = since(before, cpuSeconds(pids));
  return Object.fromEntries(Object.entries(used).map(([name, value]) => [name, round((value / seconds) * 100)]));
}

const round = (value: number): number => Math.round(value * 100) / 100;

export function mebibytes(pid: number): number {
  const [, kibibytes = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kibibytes) / 1_024);
}
