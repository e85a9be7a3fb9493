import type { Logger } from 'pino';
import { parseSettings, type Settings } from '../../config.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { openLog } from './log.js';
import { refusals } from './production-profile.js';
import { createStartup, type Startup } from './startup.js';

export interface ProcessContext {
  settings: Settings;
  log: Logger;
}

export interface StartContext extends ProcessContext {
  startup: Startup;
}

/** Cleanup of a process, in reverse order of opening. */
export type Close = () => Promise<void>;

const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** For an end that hangs on a service that is gone; longer than the longest attempt of a delivery. */
const MOST_END_MS = 30_000;

/**
 * The frame of every process of the platform: settings first, then `start`, then a clean end on SIGTERM, SIGINT, SIGHUP
 * or the end of the parent that started it.
 */
export async function runProcess(name: string, start: (context: StartContext) => Promise<Close>): Promise<void> {
  // Spool, logs and workspaces hold bodies of requests: no other user of the machine reads them.
  process.umask(0o077);
  const settings = readSettings();
  const log = openLog(name, settings.SLIPWAY_LOG_LEVEL);
  const leave = (): void => process.exit(1);
  // Nothing is under way yet. Without a listener, the first process of a container ignores its signals.
  const interrupt = (signal: NodeJS.Signals): void => {
    log.info(`ending before the start is finished: ${signal}`);
    process.exit(0);
  };
  process.once('disconnect', leave);
  for (const signal of ENDING) process.on(signal, interrupt);
  const close = await start({ settings, log, startup: createStartup({ log }) }).catch((err: unknown) => {
    log.fatal({ err }, err instanceof Error ? err.message : 'the start failed');
    process.exit(1);
  });
  process.off('disconnect', leave);
  for (const signal of ENDING) process.off(signal, interrupt);
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
  for (const signal of ENDING) process.on(signal, () => end(signal));
  process.on('disconnect', () => end('the parent process is gone'));
  process.send?.('ready');
  log.info('ready');
}

/** Ends the process when a setting is invalid, or unsafe in production. */
function readSettings(): Settings {
  try {
    const settings = parseSettings(process.env);
    const refused = refusals(settings);
    if (refused.length === 0) return settings;
    process.stderr.write(`NODE_ENV=production refuses these settings:\n${refused.join('\n')}\n`);
  } catch (err) {
    process.stderr.write(`${err instanceof SlipwayError ? err.message : String(err)}\n`);
  }
  process.exit(2);
}
