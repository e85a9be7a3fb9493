import type { Leaf } from '../dataset/dataset-leaves.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads one text of a stored row; undefined where the row must be parsed for it. */
export type TextFieldReader = (bytes: Buffer) => readonly string[] | undefined;

const ABSENT: readonly string[] = [];

/**
 * Compiles a reader of a top-level text field of stored rows that does not parse them. Requires that no other member
 * has its name: quotation marks inside of texts are escaped, so the quoted name between a comma and a colon occurs only
 * where the member begins.
 * @returns undefined for any other leaf
 */
export function textFieldReader(leaf: Leaf, leaves: ReadonlyMap<string, Leaf>): TextFieldReader | undefined {
  const [name = '', ...below] = leaf.steps;
  const named = [...leaves.values()].filter(({ steps }) => steps.includes(name));
  if (leaf.type !== 'text' || leaf.list || below.length > 0 || named.length > 1) return undefined;
  const key = Buffer.from(`,"${name}":"`);
  return (bytes) => {
    const at = bytes.indexOf(key);
    if (at < 0) return ABSENT;
    const start = at + key.length;
    const end = bytes.indexOf(QUOTE, start);
    const escape = bytes.indexOf(BACKSLASH, start);
    return escape >= 0 && escape < end ? undefined : [bytes.toString('utf8', start, end)];
  };
}
