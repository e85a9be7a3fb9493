import type { CliContext } from '../context.js';
import { colored } from '../output/state-color.js';
import { elapsed } from '../output/time.js';
import type { Display, Progress } from './progress.js';

/** A block that moves where there is a terminal, else a line per change. */
export async function createDisplay(context: CliContext, { logs }: { logs: boolean }): Promise<Display> {
  const { live } = context.terminal;
  // A log and a moving block would write over each other.
  if (live === undefined || logs) return plainDisplay(context, logs);
  const { createLiveBlock } = await import('./live-block.js');
  return createLiveBlock(context, live);
}

function plainDisplay({ terminal, now }: CliContext, logs: boolean): Display {
  const begun = now();
  const shown = new Map<string, Progress>();
  return {
    set(name, change) {
      const before = shown.get(name);
      const { state = '', step, detail } = { ...before, ...change };
      shown.set(name, { state, ...(step !== undefined && { step }), detail });
      const time = elapsed(now() - begun);
      if (before?.state !== state || before.detail !== detail) {
        terminal.note([name, colored(terminal.paintNote, state), ...(detail ? [detail] : []), `(${time})`].join('  '));
      }
      if (step !== undefined && before?.step !== step) terminal.note(`${name}  step ${step}  (${time})`);
    },
    line(_name, text) {
      if (logs) terminal.note(text);
    },
    stop: () => undefined,
  };
}
