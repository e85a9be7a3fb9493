import { feedStalled } from '../../notifications/events/ops-events.js';
import type { EventStream } from '../../platform/stores/event-stream.js';
import type { LogTails } from '../../notifications/stores/log-tails.js';

export interface StallWatchOptions {
  tails: Pick<LogTails, 'positions'>;
  /** The stream `ops`. */
  ops: Pick<EventStream, 'publish'>;
  /** A stream that cannot be read for this long has stalled. */
  stalledMs?: number;
  checkMs?: number;
  now?: () => Date;
  onError?: (err: unknown) => void;
}

/** Checks that streams can be read; emits an event about a stalled one when it moves again. */
export function createStallWatch(options: StallWatchOptions) {
  const { tails, ops, stalledMs = 30_000, checkMs = 1_000, now = () => new Date(), onError = () => {} } = options;
  const watched = new Map<string, { position: number; movedAt: number; stalledFrom?: string }>();

  async function check(): Promise<void> {
    const at = now().getTime();
    for (const { stream, position, lagMs } of tails.positions()) {
      const known = watched.get(stream);
      if (known === undefined || (known.position !== position && known.stalledFrom === undefined)) {
        watched.set(stream, { position, movedAt: at });
      } else if (known.stalledFrom === undefined) {
        // A reader with a long backlog moves, although it does not reach the end.
        const stalledForMs = Math.min(lagMs, at - known.movedAt);
        if (stalledForMs > stalledMs) known.stalledFrom = new Date(at - stalledForMs).toISOString();
      } else if (lagMs <= stalledMs) {
        const { stalledFrom: from } = known;
        await ops.publish(feedStalled({ stream, position: known.position, from, until: new Date(at).toISOString() }));
        watched.set(stream, { position, movedAt: at });
      }
    }
  }

  let checking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    checking = checking.then(check).catch(onError);
  }, checkMs);
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await checking;
    },
  };
}
