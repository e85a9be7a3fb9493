import type { Logger } from 'pino';
import { lock } from 'proper-lockfile';
import { errorCode } from './error-code.js';
import { listSegments, sealSegment } from './segment.js';

interface AdoptOptions {
  dir: string;
  /** Part of the names of this writer's own segments. */
  own: string;
  log: Pick<Logger, 'warn'>;
  retryMs?: number;
}

const STALE_MS = 10_000;

/**
 * Seals what an earlier gateway left open in this folder. Only the holder of the folder's lock may do it: a lock that
 * a killed process left behind goes stale after ten seconds, so this goes on in the background. Nothing waits for it:
 * each writer has segments of its own, and the uploader reads open ones too.
 */
export async function adoptSegments({ dir, own, log, retryMs = 2_000 }: AdoptOptions) {
  let timer: NodeJS.Timeout | undefined;
  let unlock: (() => Promise<void>) | undefined;

  async function attempt(): Promise<void> {
    try {
      unlock = await lock(dir, { stale: STALE_MS, onCompromised: (err) => log.warn({ err }, 'lost the spool lock') });
      for (const { name, sealed } of await listSegments(dir)) {
        if (sealed || name.includes(own)) continue;
        await sealSegment(dir, name).catch((err: unknown) => {
          log.warn({ err, segment: name }, 'an open spool segment was not sealed');
        });
      }
    } catch (err) {
      if (unlock !== undefined || errorCode(err) !== 'ELOCKED')
        log.warn({ err }, 'open spool segments were not sealed');
      if (unlock === undefined) timer = setTimeout(() => void attempt(), retryMs).unref();
    }
  }
  await attempt();

  return {
    async release(): Promise<void> {
      clearTimeout(timer);
      await unlock?.();
    },
  };
}
