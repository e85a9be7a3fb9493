import { readdir, readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepRunning } from '../../../workers/compose/keep-running.js';
import { inScratchFolder, until } from '../../stack/scratch.js';

const READY = "process.send('ready'); process.on('disconnect', () => process.exit(0));";
const ALIVE = `console.log('started as', process.env.NAME); setInterval(() => undefined, 1_000); ${READY}`;

/** Starts a program as the platform starts its own. */
function supervise(folder: string, program: string, more: object = {}) {
  const lines: string[] = [];
  const options = {
    ...{ environment: { PATH: process.env.PATH, NAME: 'api' }, logDir: join(folder, 'logs'), restartMs: 1 },
    report: (line: string) => void lines.push(line),
    name: 'gateway',
    command: async () => ['-e', program],
    ...more,
  };
  return { lines, starting: keepRunning(options) };
}
const isAlive = (pid = 0): boolean => existsSync(`/proc/${pid}/exe`) || signalled(pid);
function signalled(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
const openFiles = async () => (await readdir(`/proc/${process.pid}/fd`).catch(() => [])).length;

test('a process is started with its environment and its log, and stopped with SIGTERM', async () => {
  await inScratchFolder(async (folder) => {
    const { starting, lines } = supervise(
      folder,
      `process.on('SIGTERM', () => { console.log('clean'); process.exit(0); }); ${ALIVE}`,
    );
    const child = await starting;
    const { pid, logFile } = child;
    expect(logFile).toBe(join(folder, 'logs', 'gateway.log'));
    await child.stop();
    expect(isAlive(pid)).toBe(false);
    expect(await readFile(logFile, 'utf8')).toBe('started as api\nclean\n');
    await child.stop();
    expect(lines).toEqual([]);
  });
});

test('a process that ends by itself is reported and started again, with the same log and no file left open', async () => {
  await inScratchFolder(async (folder) => {
    const { starting, lines } = supervise(folder, ALIVE);
    const child = await starting;
    onTestFinished(() => child.stop());
    const before = await openFiles();
    for (const round of [1, 2, 3]) {
      const { pid = 0 } = child;
      process.kill(pid, 'SIGKILL');
      await until(async () => (await readFile(child.logFile, 'utf8')).split('started').length === round + 2);
      expect([child.pid === pid, isAlive(child.pid)]).toEqual([false, true]);
      expect(lines).toHaveLength(round);
      expect(lines.at(-1)).toContain('SIGKILL');
    }
    expect((await openFiles()) - before).toBeLessThan(3);
  });
});

test('the exit code of a process that gives up is in the report', async () => {
  await inScratchFolder(async (folder) => {
    const { starting, lines } = supervise(folder, "process.send('ready', () => process.exit(7));", {
      restartMs: 60_000,
    });
    const child = await starting;
    await until(() => lines.length > 0);
    expect(lines[0]).toMatch(/^gateway .*7.*gateway\.log$/);
    // In the pause before the next start there is nothing to stop, and nothing starts afterwards.
    await child.stop();
  });
});

test.each([
  ['that ends before it is ready', "console.error('no database'); process.exit(3);", {}, /3.*gateway\.log/],
  ['that never gets ready', 'setInterval(() => undefined, 1_000);', { readyMs: 300 }, /0\.3 s.*gateway\.log/],
])('a process %s is an error that names its log', async (_name, program, more, message) => {
  await inScratchFolder(async (folder) => {
    const { starting } = supervise(folder, program, more);
    await expect(starting).rejects.toMatchObject({ code: 'unavailable', message: expect.stringMatching(message) });
  });
});

test('a process that does not end by SIGTERM is killed after its grace', async () => {
  await inScratchFolder(async (folder) => {
    const stubborn = `process.on('SIGTERM', () => undefined); ${ALIVE}`;
    const child = await supervise(folder, stubborn, { graceMs: 50 }).starting;
    const { pid } = child;
    await child.stop();
    expect(isAlive(pid)).toBe(false);
  });
});

test('a start that is ended throws the reason and leaves no process', async () => {
  await inScratchFolder(async (folder) => {
    const ending = new AbortController();
    const program = 'console.log(process.pid); setInterval(() => undefined, 1_000);';
    const { starting } = supervise(folder, program, { signal: ending.signal });
    const logFile = join(folder, 'logs', 'gateway.log');
    await until(async () => /^\d+\n$/.test(await readFile(logFile, 'utf8').catch(() => '')));
    const pid = Number(await readFile(logFile, 'utf8'));
    ending.abort(new Error('Ctrl-C'));
    await expect(starting).rejects.toThrow('Ctrl-C');
    await until(() => !isAlive(pid));
  });
});

test('a process that ends by itself is started again with the program as it is then, once there is one', async () => {
  await inScratchFolder(async (folder) => {
    const commands = [['-e', ALIVE], undefined, ['-e', `console.log('newer'); ${ALIVE}`]];
    const command = async (): Promise<string[]> => {
      const next = commands.shift();
      if (next === undefined) throw new Error('no bundle');
      return next;
    };
    const { starting, lines } = supervise(folder, '', { command });
    const child = await starting;
    onTestFinished(() => child.stop());
    process.kill(child.pid ?? 0, 'SIGKILL');
    await until(async () => (await readFile(child.logFile, 'utf8')).includes('newer'));
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('no bundle');
  });
});
