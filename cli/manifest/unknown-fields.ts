import { closestMatch } from 'leven';
import type { WritableKind } from '../../client/index.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import { VALIDATORS } from './validators.js';

interface UnknownField {
  path: string;
  message: string;
}

/** Names that a reader takes in under another one. */
const SECOND_NAMES = ['spec.imagePullConnectionID'];

/** Fields that the server drops without a word: usually a slip of the pen. */
export function unknownFields(kind: WritableKind, body: { id: string; spec: Record<string, unknown> }): UnknownField[] {
  const known = VALIDATORS[kind]?.read(body);
  return known === undefined || known.misfits.length > 0 ? [] : [...compare('spec', body.spec, known.spec)];
}

/** Lists fields of `given` that the schema dropped, except comments (`_...`) and empty values. */
function* compare(path: string, given: unknown, read: unknown): Generator<UnknownField> {
  if (Array.isArray(given) && Array.isArray(read)) {
    for (const [at, item] of given.entries()) yield* compare(`${path}.${at}`, item, read[at]);
  }
  if (!isRecord(given) || !isRecord(read)) return;
  for (const [key, value] of Object.entries(given)) {
    const inner = `${path}.${key}`;
    if (key.startsWith('_') || value === null || value === '' || SECOND_NAMES.includes(inner)) continue;
    if (Object.hasOwn(read, key)) yield* compare(inner, value, read[key]);
    else yield { path: inner, message: `${inner} is no field and is ignored${suggestion(key, Object.keys(read))}` };
  }
}

function suggestion(key: string, known: readonly string[]): string {
  const nearest = closestMatch(key, known, { maxDistance: 3 });
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
