import type { Terminal } from '../terminal.js';

// prettier-ignore
const STYLES = {
  succeeded: 'green', Ready: 'green', created: 'green', up: 'green', ok: 'green', active: 'green',
  failed: 'red', Failed: 'red', down: 'red', wrong: 'red', disabled: 'red',
  running: 'cyan', scheduling: 'cyan', Processing: 'cyan', updated: 'yellow', deleted: 'yellow', Deleting: 'yellow',
  unverified: 'yellow', paused: 'yellow',
} as const satisfies Record<string, Parameters<Terminal['paint']>[0]>;

/** A state, or what was done, in the color that people expect. */
export function colored(paint: Terminal['paint'], word: string): string {
  const style = Object.hasOwn(STYLES, word) ? STYLES[word as keyof typeof STYLES] : undefined;
  return style === undefined ? word : paint(style, word);
}
