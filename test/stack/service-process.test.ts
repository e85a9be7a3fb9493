import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireAnswer } from '../../stack/probe.js';
import { findProcess, hasDied } from '../../stack/process-record.js';
import { ensureProcess, stopProcess, type ServiceProcess } from '../../stack/service-process.js';
import { findTestPortBase } from './port-base.js';
import { inScratchFolder, until } from './scratch.js';

const SERVER = `
  process.stdout.write('listening');
  require('http').createServer((_, response) => response.end('ok')).listen(Number(process.argv[1]), '127.0.0.1');
`;

async function withService(
  act: (tools: { stateDir: string; service: ServiceProcess }) => Promise<void>,
): Promise<void> {
  await inScratchFolder(async (stateDir) => {
    const port = await findTestPortBase();
    const service = {
      name: 'echo',
      command: process.execPath,
      args: ['-e', SERVER, String(port)],
      ports: [port],
      probe: async () => void (await requireAnswer(`http://127.0.0.1:${port}/`)),
    };
    try {
      await act({ stateDir, service });
    } finally {
      await stopProcess(stateDir, service.name);
    }
  });
}

function ensure(service: ServiceProcess, stateDir: string) {
  return ensureProcess(service, { stateDir, signal: new AbortController().signal });
}

async function pidOf(stateDir: string): Promise<number> {
  return (await findProcess(stateDir, 'echo'))?.pid ?? 0;
}

test('a service is started once, then attached to, and stopped', async () => {
  await withService(async ({ stateDir, service }) => {
    expect(await ensure(service, stateDir)).toBe('started');
    const pid = await pidOf(stateDir);
    expect(await ensure(service, stateDir)).toBe('attached');
    expect(await pidOf(stateDir)).toBe(pid);
    expect(await stopProcess(stateDir, 'echo')).toBe(true);
    await expect(service.probe()).rejects.toThrow();
    expect(await stopProcess(stateDir, 'echo')).toBe(false);
  });
});

test('a service that was killed is started again', async () => {
  await withService(async ({ stateDir, service }) => {
    await ensure(service, stateDir);
    process.kill(await pidOf(stateDir), 'SIGKILL');
    await until(async () => (await findProcess(stateDir, 'echo')) === undefined);
    expect(await ensure(service, stateDir)).toBe('started');
    await service.probe();
  });
});

test('a service that was killed or could not be started again counts as dead, a stopped one does not', async () => {
  await withService(async ({ stateDir, service }) => {
    expect(await hasDied(stateDir, 'echo')).toBe(false);
    await ensure(service, stateDir);
    expect(await hasDied(stateDir, 'echo')).toBe(false);
    process.kill(await pidOf(stateDir), 'SIGKILL');
    await until(() => hasDied(stateDir, 'echo'));
    await expect(ensure({ ...service, args: ['-e', 'process.exit(2)'] }, stateDir)).rejects.toThrow();
    expect(await hasDied(stateDir, 'echo')).toBe(true);
    await stopProcess(stateDir, 'echo');
    expect(await hasDied(stateDir, 'echo')).toBe(false);
  });
});

test('a service that would start otherwise today is replaced', async () => {
  await withService(async ({ stateDir, service }) => {
    await ensure({ ...service, inputs: 'settings of yesterday' }, stateDir);
    const pid = await pidOf(stateDir);
    expect(await ensure({ ...service, inputs: 'settings of today' }, stateDir)).toBe('started');
    expect(await pidOf(stateDir)).not.toBe(pid);
  });
});

test('a process that got the pid of ours later is neither taken for it nor stopped', async () => {
  await withService(async ({ stateDir, service }) => {
    await ensure(service, stateDir);
    await stopProcess(stateDir, 'echo');
    const record = { pid: process.pid, identity: 'an earlier boot/4711', fingerprint: '' };
    await writeFile(join(stateDir, 'run', 'echo.json'), JSON.stringify(record));
    expect(await findProcess(stateDir, 'echo')).toBeUndefined();
    expect(await stopProcess(stateDir, 'echo')).toBe(false);
  });
});

test('a record cut short by a full disk does not stand in the way', async () => {
  await withService(async ({ stateDir, service }) => {
    await ensure(service, stateDir);
    await stopProcess(stateDir, 'echo');
    await writeFile(join(stateDir, 'run', 'echo.json'), '{"pid":');
    expect(await ensure(service, stateDir)).toBe('started');
  });
});

test('a service that exits is reported with its log and last words, at once', async () => {
  await withService(async ({ stateDir, service }) => {
    const args = ['-e', 'console.error("no such database"); process.exit(2)'];
    const broken = { ...service, args, readyTimeoutMs: 3_600_000 };
    const failure = ensure(broken, stateDir);
    await expect(failure).rejects.toThrow(join(stateDir, 'logs', 'echo.log'));
    await expect(failure).rejects.toThrow('no such database');
    expect(await findProcess(stateDir, 'echo')).toBeUndefined();
  });
});

test('a service that stays silent is stopped when its time is up', async () => {
  await withService(async ({ stateDir, service }) => {
    const silent = { ...service, args: ['-e', 'setInterval(() => undefined, 1000)'], readyTimeoutMs: 300 };
    await expect(ensure(silent, stateDir)).rejects.toThrow('echo does not answer');
    expect(await findProcess(stateDir, 'echo')).toBeUndefined();
  });
});

test('a command that does not exist is named', async () => {
  await withService(async ({ stateDir, service }) => {
    await expect(ensure({ ...service, command: 'no-such-command' }, stateDir)).rejects.toThrow('no-such-command');
  });
});

test('its output is in its log', async () => {
  await withService(async ({ stateDir, service }) => {
    await ensure(service, stateDir);
    await until(async () => (await readFile(join(stateDir, 'logs', 'echo.log'), 'utf8')) === 'listening');
  });
});
