import { createScanner } from 'jsonc-parser';

/**
 * Parts of JSON text as they stand there: a parser would change integers beyond 2^53. The text must be valid JSON
 * (`JSON.parse` took it). Nothing here recurses, so depth costs no stack.
 */

/** Members of an object, the last of a name; `undefined` when the text is no object. */
export function membersOf(text: string): Map<string, string> | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const parts = partsOf(text);
  const members = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const name: unknown = JSON.parse(parts[index] ?? '""');
    members.set(String(name), parts[index + 1] ?? '');
  }
  return members;
}

/** Items of an array; `undefined` when the text is none. */
export const itemsOf = (text: string): string[] | undefined => (/^\s*\[/.test(text) ? partsOf(text) : undefined);

/** Names and values, or items, directly inside the outermost brackets. */
function partsOf(text: string): string[] {
  const scanner = createScanner(text, true);
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const at = scanner.getTokenOffset();
    const first = text[at] ?? '';
    if ('}]'.includes(first)) depth -= 1;
    const isPart = depth === 1 && !',:'.includes(first);
    if (isPart && !'}]'.includes(first)) start = at;
    if (isPart && !'{['.includes(first)) parts.push(text.slice(start, at + scanner.getTokenLength()));
    if ('{['.includes(first)) depth += 1;
  }
  return parts;
}
