import { setTimeout as sleep } from 'node:timers/promises';
import type { SlipwayRunner } from './slipway.js';

/** A command that goes on while the test does something. */
export function begin(slipway: SlipwayRunner, args: string[], signal?: AbortSignal) {
  let text = '';
  const ended = slipway.run(args, { ...(signal && { signal }), onText: (more) => void (text += more) });
  return {
    ended,
    /** Waits until the command has said so. */
    async until(what: string, seconds = 120): Promise<void> {
      for (const deadline = Date.now() + seconds * 1_000; !text.includes(what); await sleep(10)) {
        if (Date.now() > deadline) throw new Error(`"${what}" is not in ${text}`);
      }
    },
  };
}
