import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { OnRefused, Refusal } from './credentials.js';

interface RefusalsOptions {
  logger: Logger;
  metrics?: Registry | undefined;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

const LOG_MS = 60_000;

/**
 * Counts requests of `/v2` whose credentials are refused, and logs one line a minute for each reason: a client with a
 * wrong key may come thousands of times a second. Nothing of a credential is in either.
 */
export function createRefusals({ logger, metrics, now = () => performance.now() }: RefusalsOptions): OnRefused {
  const refused = new Counter({
    name: 'slipway_data_refused_credentials_total',
    help: 'Requests of reference data and notifications without an accepted credential, by reason and kind of credential',
    labelNames: ['reason', 'credential'],
    registers: metrics === undefined ? [] : [metrics],
  });
  const logged = new Map<string, { at: number; since: number }>();
  return ({ reason, credential, requestId }: Refusal) => {
    refused.inc({ reason, credential });
    const key = `${reason} ${credential}`;
    const before = logged.get(key);
    if (before !== undefined && now() - before.at < LOG_MS) {
      before.since += 1;
      return;
    }
    logged.set(key, { at: now(), since: 0 });
    const more = before === undefined ? 0 : before.since;
    logger.warn({ reason, credential, requestId, more }, 'credentials for reference data are refused');
  };
}
