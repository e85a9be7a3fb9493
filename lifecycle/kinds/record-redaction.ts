import { LRUCache } from 'lru-cache';
import { createRedaction, REDACTED, type Redaction, redactionProblem } from './redaction.js';

/** Replaces a body that cannot be examined, and so must not be recorded. */
const OMITTED = `${REDACTED} body: no JSON, cut, or too large to examine`;

/** Removes from records what the deployment's rules name. */
export interface RecordRedaction {
  /** @param isCut the bytes are only the beginning of the body */
  body(bytes: Buffer, isCut: boolean): Buffer;
  /** JSON for JSON. */
  json(text: string): string;
  /** The address without its query, which no rule can name. */
  uri(uri: string): string;
}

const PLAIN: RecordRedaction = { body: (bytes) => bytes, json: (text) => text, uri: (uri) => uri };

/** Returns the redaction of some paths; the compiled form is kept, as each record needs it. */
export function createRecordRedactions({ mostBytes }: { mostBytes: number }) {
  const known = new LRUCache<string, RecordRedaction>({ max: 1_000 });
  return (paths: readonly string[] = []): RecordRedaction => {
    if (paths.length === 0) return PLAIN;
    const key = JSON.stringify(paths);
    const found = known.get(key) ?? toRecordRedaction(compile(paths), mostBytes);
    known.set(key, found);
    return found;
  };
}

/** Paths that an earlier release let pass record nothing, instead of everything. */
const compile = (paths: readonly string[]): Redaction =>
  paths.some((path) => redactionProblem(path) !== undefined) ? { apply: () => undefined } : createRedaction(paths);

function toRecordRedaction(redaction: Redaction, mostBytes: number): RecordRedaction {
  const apply = (bytes: Buffer): string | undefined => (bytes.length > mostBytes ? undefined : redaction.apply(bytes));
  return {
    body(bytes, isCut) {
      if (bytes.length === 0) return bytes;
      return Buffer.from((isCut ? undefined : apply(bytes)) ?? OMITTED);
    },
    json: (text) => apply(Buffer.from(text)) ?? JSON.stringify(OMITTED),
    uri: (uri) => uri.replace(/\?.*$/s, `?${REDACTED}`),
  };
}
