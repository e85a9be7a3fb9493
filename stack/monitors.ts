import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { placeEngine } from './engine-settings.js';
import { tryPodman } from './podman.js';

/** The monitor of a container, or of a command that was run in one. */
interface Monitor {
  pid: number;
  container: string;
}

/** Finds the monitors that the engine of a state folder started. */
async function findMonitors(stateDir: string): Promise<Monitor[]> {
  const storage = join(placeEngine(stateDir).folder, 'storage');
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const found = await Promise.all(pids.map((pid) => readMonitor(pid, storage)));
  return found.filter((each) => each !== undefined);
}

async function readMonitor(pid: number, storage: string): Promise<Monitor | undefined> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const words = text.split('\0');
  const valueOf = (option: string): string => words[words.indexOf(option) + 1] ?? '';
  if (basename(words[0] ?? '') !== 'conmon' || !valueOf('-b').startsWith(`${storage}/`)) return undefined;
  return { pid, container: valueOf('-c') };
}

/**
 * Ends the monitors of containers that do not run: podman leaves that of a command whose container ended under it, for
 * ever. @returns how many there were
 */
export async function endStrayMonitors(stateDir: string): Promise<number> {
  const monitors = await findMonitors(stateDir);
  // Read afterwards: a container that starts meanwhile has its monitor before it runs.
  const filters = ['running', 'paused', 'stopping'].flatMap((status) => ['--filter', `status=${status}`]);
  const { isDone, lines } = await tryPodman(stateDir, 'ps', '--all', '--no-trunc', '--quiet', ...filters);
  if (!isDone) return 0;
  const running = new Set(lines);
  const stray = monitors.filter(({ container }) => !running.has(container));
  for (const { pid } of stray) end(pid);
  return stray.length;
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
  }
}
