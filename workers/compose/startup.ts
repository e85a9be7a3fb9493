import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isUnavailable } from '../../platform/stores/insert-once.js';

/** Between two tries, and so between two lines of the log. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Calls `open`, which may be repeated, until the service that it needs answers; `service` names it in sentences.
 * @throws what no wait heals, such as a wrong password
 */
export type AwaitService = <T>(service: string, open: () => Promise<T>) => Promise<T>;

export type Startup = ReturnType<typeof createStartup>;

interface StartupOptions {
  log: Pick<Logger, 'info' | 'warn'>;
  wait?: (ms: number) => Promise<void>;
}

/** The start of a process: it waits for the services that are away, and says which. */
export function createStartup({ log, wait = (ms) => sleep(ms) }: StartupOptions) {
  const missing = new Map<string, string>();
  let checkService: (() => Promise<void>) | undefined;

  const awaitService: AwaitService = async (service, open) => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const opened = await open();
        if (missing.delete(service)) log.info(`${service} answers`);
        return opened;
      } catch (err) {
        if (!isUnavailable(err)) throw err;
        missing.set(service, reasonOf(err));
        log.warn(`the start waits for ${service}: ${reasonOf(err)}; next try in ${pauseMs / 1_000} s`);
        await wait(pauseMs);
      }
    }
  };

  return {
    awaitService,

    /** Called when the process is ready; `check` says from then on whether it still is. */
    finish: (check: () => Promise<void>): void => {
      checkService = check;
    },

    /** @throws unavailable, naming what the start waits for */
    checkReady: async (): Promise<void> => {
      if (checkService !== undefined) return checkService();
      const reasons = [...missing].map(([service, reason]) => `the start waits for ${service}: ${reason}`);
      throw new SlipwayError('unavailable', reasons.join('; ') || 'the start is under way');
    },
  };
}

/** The cause knows the address and the error of the network. */
function reasonOf(err: unknown): string {
  const { cause, message } = err as Error;
  return cause instanceof Error ? cause.message : message;
}
