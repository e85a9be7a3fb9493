import { readFile, stat } from 'node:fs/promises';
import { type Reason, runFailed } from '../../platform/kinds/reasons.js';

/** With the hashes of every file of 1,000 packages, a lock has about 8 MiB. */
const MAX_BYTES = 2 ** 24;
const HASH = '--hash=sha(?:256:[0-9a-f]{64}|384:[0-9a-f]{96}|512:[0-9a-f]{128})';
const PIN = new RegExp(
  `^([A-Za-z0-9][\\w.-]*(?:\\[[\\w,. -]*\\])?==[A-Za-z0-9][\\w.+!-]*)\\s*(?:;(?:(?!--).)*)?((?:\\s+${HASH})*)$`,
);
const LONGEST_QUOTE = 100;

/**
 * The packages of a lock that user code wrote, one `name==version --hash=...` per line: comments and markers are
 * dropped, all else is refused, because an option, a URL or an index would lead the installer elsewhere.
 * @param what names the lock in the message
 * @throws run_failed, with the line and the remedy
 */
export function parseLock(text: string, what: string, reason: Reason): string[] {
  const lines = text.replace(/\\\r?\n/g, ' ').split(/\r?\n/);
  return lines.flatMap((line) => {
    // One blank at a time: the pattern below would try each way to divide a long run of them.
    const content = line
      .replace(/(^|\s)#.*$/, '')
      .replace(/\s+/g, ' ')
      .trim();
    if (content === '') return [];
    const [, pin, hashes = ''] = PIN.exec(content) ?? [];
    if (pin !== undefined) return [[pin, ...hashes.split(/\s+/).filter(Boolean)].join(' ')];
    const message =
      `${what} holds ${JSON.stringify(content.slice(0, LONGEST_QUOTE))}, which is not installed: ` +
      'each line must be name==version with its hashes, without options, paths and URLs; pin the package to a version of the package index';
    throw runFailed({ reason, message });
  });
}

/** Reads and parses a lock; a missing one is empty. @throws as `parseLock`, also when it is too large */
export async function readLock(file: string, what: string, reason: Reason): Promise<string[]> {
  const facts = await stat(file).catch(() => undefined);
  if (facts === undefined) return [];
  if (!facts.isFile() || facts.size > MAX_BYTES)
    throw runFailed({ reason, message: `${what} is no file of at most ${MAX_BYTES} bytes` });
  return parseLock(await readFile(file, 'utf8'), what, reason);
}
