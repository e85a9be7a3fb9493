import { execa } from 'execa';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName } from '../../stack/service.js';
import { stackStatus, startStack, stopStack } from '../../stack/stack.js';
import { findTestPortBase } from './port-base.js';
import { signalProcess } from './signal-process.js';

interface OwnStackOptions {
  only: readonly ServiceName[];
  /** Mebibytes of a disk of its own; by default the data lies with other temporary files. */
  diskMib?: number;
}

/** Starts services for one test alone, which may stop them or fill their disk while other tests run. */
export async function startOwnStack({ only, diskMib }: OwnStackOptions) {
  const stateDir = await mkdtemp(join(tmpdir(), 'slipway-own-'));
  if (diskMib !== undefined) await execa('mount', ['-t', 'tmpfs', '-o', `size=${diskMib}m`, 'slipway-test', stateDir]);
  const report = () => undefined;
  const environment = { ...process.env };
  for (const elsewhere of ['TEST_STACK', 'MONGODB_URI', 'STORAGE_API_ENDPOINT', 'TEMPORAL_ADDRESS'])
    delete environment[elsewhere];
  const settings = await startStack({ stateDir, portBase: await findTestPortBase(), environment, only, report });
  return {
    stateDir,
    settings,
    async signal(name: ServiceName, signal: NodeJS.Signals): Promise<void> {
      const found = (await stackStatus({ stateDir })).find((service) => service.name === name);
      if (found?.pid === undefined) throw new Error(`${name} does not run`);
      await signalProcess(found.pid, signal);
    },
    async stop(): Promise<void> {
      await stopStack({ stateDir, report });
      if (diskMib !== undefined) await execa('umount', [stateDir]);
      await rm(stateDir, { recursive: true });
    },
  };
}
export type OwnStack = Awaited<ReturnType<typeof startOwnStack>>;
