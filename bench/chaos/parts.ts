import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '../../stack/service.js';
import { stackStatus, startStack } from '../../stack/stack.js';
import type { Platform } from '../../workers/compose/platform.js';

/** The processes that are killed in turn: the sender and all its dependencies. */
export const PARTS = ['worker', 'mongodb', 'temporal', 'storage'] as const satisfies readonly (
  ServiceName | 'worker'
)[];

const DOWN_MS = 1_000;

/** Kills the parts of an installation in turn, as a crash would, and brings each back with its data. */
export function createStrike({ settings, environment, processes }: Platform) {
  const stateDir = settings.SLIPWAY_STATE_DIR;
  return async (nth: number): Promise<string> => {
    const part = PARTS[nth % PARTS.length] ?? 'worker';
    if (part === 'worker') {
      const { pid } = processes.worker;
      if (pid !== undefined) process.kill(pid, 'SIGKILL'); // its supervisor starts it again
      return part;
    }
    const found = (await stackStatus({ stateDir })).find(({ name }) => name === part);
    if (found?.pid !== undefined) process.kill(found.pid, 'SIGKILL');
    await sleep(DOWN_MS);
    const portBase = Number(environment.SLIPWAY_PORT_BASE);
    await startStack({ stateDir, portBase, environment: {}, only: [part], report: () => {} });
    return part;
  };
}
