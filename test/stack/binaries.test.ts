import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBinary } from '../../stack/binaries.js';
import { ensurePackages } from '../../stack/packages.js';
import { choosePorts } from '../../platform/kinds/ports.js';
import type { Environment, ServiceContext } from '../../stack/service.js';
import { inScratchFolder } from './scratch.js';

const tools = { signal: new AbortController().signal, say: () => undefined };

function contextIn(scratch: string, environment: Environment): ServiceContext {
  const ports = choosePorts(20_000, { temporal: 1, temporalUi: 2 });
  return { stateDir: join(scratch, 'state'), cacheDir: join(scratch, 'cache'), ports, environment, found: {} };
}

async function makeCommand(folder: string, name: string, script: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

test('the configured folder wins over PATH, PATH over the cache', async () => {
  await inScratchFolder(async (scratch) => {
    const say = 'echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"';
    const configured = await makeCommand(join(scratch, 'own'), 'temporal', say);
    const installed = await makeCommand(join(scratch, 'path'), 'temporal', say);
    const cached = await makeCommand(join(scratch, 'cache', 'temporal-1.5.1'), 'temporal', say);
    const PATH = join(scratch, 'path');
    const all = contextIn(scratch, { SLIPWAY_BIN_DIR: join(scratch, 'own'), PATH });
    expect(await findBinary('temporal', all, tools)).toBe(configured);
    expect(await findBinary('temporal', contextIn(scratch, { PATH }), tools)).toBe(installed);
    expect(await findBinary('temporal', contextIn(scratch, { PATH: '' }), tools)).toBe(cached);
  });
});

test('a server on PATH that is too old is passed over', async () => {
  await inScratchFolder(async (scratch) => {
    await makeCommand(join(scratch, 'path'), 'temporal', 'echo "temporal version 1.0.0 (Server 1.24.2, UI 2.28.0)"');
    const cached = await makeCommand(join(scratch, 'cache', 'temporal-1.5.1'), 'temporal', 'true');
    const context = contextIn(scratch, { PATH: join(scratch, 'path') });
    expect(await findBinary('temporal', context, tools)).toBe(cached);
  });
});

test('a build that fails names the log, the last line of it and what to check', async () => {
  await inScratchFolder(async (scratch) => {
    const script = 'if [ "$1" = env ]; then echo go1.26.0; else echo "no such host" >&2; exit 1; fi';
    const context = contextIn(scratch, { PATH: join(scratch, 'path') });
    await makeCommand(join(scratch, 'path'), 'go', script);
    const failure = findBinary('fake-gcs-server', context, tools);
    await expect(failure).rejects.toThrow('no such host');
    await expect(failure).rejects.toThrow(join(context.stateDir, 'logs', 'build-fake-gcs-server.log'));
    await expect(failure).rejects.toThrow('go env GOPROXY');
  });
});

test('packages that cannot be installed from here are asked for by the command that installs them', async () => {
  await inScratchFolder(async (scratch) => {
    await makeCommand(join(scratch, 'path'), 'apt-get', 'echo "Unable to locate package" >&2; exit 100');
    const wanted = { commands: ['no-such-tool'], packages: ['no-such-tool'], part: 'the registry' };
    const context = contextIn(scratch, { PATH: join(scratch, 'path') });
    await expect(ensurePackages(wanted, context, tools)).rejects.toThrow('sudo apt-get install -y no-such-tool');
  });
});
