import { readFile } from 'node:fs/promises';
import { execa } from 'execa';

/**
 * A word that one process keeps for its life and no other process ever has, so that a reused pid is not taken for ours:
 * the boot and the start time in clock ticks. Undefined when no such process lives.
 */
export async function identify(pid: number): Promise<string | undefined> {
  const [stat, boot] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined),
  ]);
  if (boot === undefined) return identifyByPs(pid);
  const start = stat && startOf(stat);
  return start && `${boot.trim()}/${start}`;
}

/**
 * The start time in `/proc/<pid>/stat`, proc(5). Undefined of a process that has ended: a zombie (Z), or one that its
 * parent is just collecting (X).
 */
export function startOf(stat: string): string | undefined {
  // The command's name, in brackets, may hold blanks: the fields are counted from behind it, where the state comes first.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [STATE, START_TIME] = [0, 19];
  return /[ZXx]/.test(fields[STATE] ?? '') ? undefined : fields[START_TIME];
}

/** For systems without /proc. */
async function identifyByPs(pid: number): Promise<string | undefined> {
  const { stdout, exitCode } = await execa('ps', ['-o', 'lstart=', '-p', String(pid)], { reject: false });
  return exitCode === 0 && stdout.trim() ? stdout.trim() : undefined;
}
