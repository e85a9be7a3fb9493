/**
 * A row is stored as the text that a fetch returns, written by the row writer:
 * `{"id":"42",<fields>,"version":7,"created_at":"<24 characters>","updated_at":"<24 characters>"}`.
 * The members read here have fixed distances from the two ends, so nothing is parsed.
 */
const TIME = 24;
const END = 2;
const BETWEEN = '","updated_at":"'.length;

export const updatedAtOf = (text: string): string => text.slice(-END - TIME, -END);
export const createdAtOf = (text: string): string => text.slice(-END - 2 * TIME - BETWEEN, -END - TIME - BETWEEN);

/** Returns the fields alone: equal for two states of an entity that differ in version and times only. */
export function fieldsOf(text: string, { id, version }: { id: string; version: number }): string {
  return text.slice(`{"id":"${id}"`.length, text.length - tailLength(version));
}

/** Returns the same state with another version. */
export function withVersion(text: string, from: number, to: number): string {
  const head = text.slice(0, text.length - tailLength(from));
  const times = text.slice(text.length - tailLength(from) + `,"version":${from}`.length);
  return `${head},"version":${to}${times}`;
}

const tailLength = (version: number): number =>
  `,"version":${version},"created_at":"`.length + TIME + BETWEEN + TIME + END;
