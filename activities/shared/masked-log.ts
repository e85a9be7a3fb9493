import { MASK } from '../../lifecycle/kinds/connection-secrets.js';
import type { LogWriter } from '../../platform/stores/logs.js';

/** Shorter texts are in too many words: to mask them would make a log unreadable. */
const SHORTEST = 4;
/** Lines of a longer secret, such as a key file, are masked one by one: `{` is none. */
const SHORTEST_LINE = 8;

export interface Mask {
  add(secrets: readonly string[]): void;
  apply(text: string): string;
}

/** Replaces secrets in lines of text. */
export function createMask(): Mask {
  let parts: string[] = [];
  return {
    add(secrets) {
      const found = new Set([...parts, ...secrets.flatMap(partsOf)]);
      // Longer ones first: one secret may be a part of another.
      parts = [...found].sort((one, other) => other.length - one.length);
    },
    apply: (text) => parts.reduce((masked, part) => masked.replaceAll(part, MASK), text),
  };
}

function partsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const shortest = lines.filter(Boolean).length > 1 ? SHORTEST_LINE : SHORTEST;
  return lines.filter((line) => line.length >= shortest);
}

/** A log that takes lines without the secrets that they hold. */
export const maskedLog = (log: LogWriter, mask: Mask): LogWriter => ({
  get position() {
    return log.position;
  },
  step: (name) => log.step(name),
  append: (line) => log.append({ ...line, text: mask.apply(line.text) }),
  flush: () => log.flush(),
  tail: () => log.tail(),
  finish: (end) => log.finish(end),
});
