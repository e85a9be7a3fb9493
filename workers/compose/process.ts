import type { Logger } from 'pino';
import { parseSettings, type Settings } from '../../config.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { openLog } from './log.js';

export interface ProcessContext {
  settings: Settings;
  log: Logger;
}

/** Cleanup of a process, in reverse order of opening. */
export type Close = () => Promise<void>;

/** For an end that hangs on a service that is gone; longer than the longest attempt of a delivery. */
const MOST_END_MS = 30_000;

/**
 * The frame of every process of the platform: settings first, then `start`, then a clean end on SIGTERM, SIGINT, SIGHUP
 * or the end of the parent that started it.
 */
export async function runProcess(name: string, start: (context: ProcessContext) => Promise<Close>): Promise<void> {
  const settings = readSettings();
  const log = openLog(name, settings.SLIPWAY_LOG_LEVEL);
  const leave = (): void => process.exit(1);
  process.once('disconnect', leave); // nothing is under way yet
  const close = await start({ settings, log }).catch((err: unknown) => {
    log.fatal({ err }, err instanceof Error ? err.message : 'the start failed');
    process.exit(1);
  });
  process.off('disconnect', leave);
  let ending = false;
  const end = (why: string): void => {
    if (ending) return;
    ending = true;
    log.info(`ending: ${why}`);
    setTimeout(() => process.exit(1), MOST_END_MS).unref();
    close().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err }, 'the end was not clean');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(signal));
  process.on('disconnect', () => end('the parent process is gone'));
  process.send?.('ready');
  log.info('ready');
}

function readSettings(): Settings {
  try {
    return parseSettings(process.env);
  } catch (err) {
    process.stderr.write(`${err instanceof SlipwayError ? err.message : String(err)}\n`);
    process.exit(2);
  }
}
