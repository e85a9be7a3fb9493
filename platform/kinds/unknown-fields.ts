import { closestMatch } from 'leven';
import { z } from 'zod';
import type { Issue } from './errors.js';
import { isRecord, toList } from './lenient.js';

/** The code of an issue about a field that no schema has. */
export const UNKNOWN_FIELD = 'unknown_field';

type Path = readonly string[];

/** Lists the fields of `given` that the schema does not have, with the nearest field that it has. */
export function* unknownFields(schema: z.core.$ZodType, given: unknown, path: Path): Generator<Issue> {
  const plain = unwrap(schema);
  if (plain instanceof z.ZodArray) {
    const items = toList(given);
    if (!Array.isArray(items)) return;
    for (const [at, item] of items.entries()) yield* unknownFields(plain.element, item, [...path, String(at)]);
  }
  if (!isRecord(given)) return;
  for (const [name, value] of Object.entries(given)) {
    const inner = [...path, name];
    if (plain instanceof z.ZodRecord) yield* unknownFields(plain.valueType, value, inner);
    if (!(plain instanceof z.ZodObject) || isNothing(name, value)) continue;
    const shape = plain.shape as z.core.$ZodShape;
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) yield unknownField(inner, Object.keys(shape));
    else yield* unknownFields(field, value, inner);
  }
}

/** The issue about one field that is not among `known`. */
export function unknownField(path: Path, known: readonly string[]): Issue {
  const nearest = closestMatch(shortened(path.at(-1) ?? ''), known, { maxDistance: 3 });
  const hint = nearest === undefined ? 'remove it, or look for its name in the reference' : `did you mean ${nearest}?`;
  const dotted = path.map(shortened).join('.');
  return { path: dotted, pointer: toPointer(path), code: UNKNOWN_FIELD, message: `${dotted} is no field: ${hint}` };
}

/** Whether a member is a comment (`_...`) or has no value: clients send unset fields as `null`. */
export const isNothing = (name: string, value: unknown): boolean =>
  name.startsWith('_') || value === null || value === '' || value === undefined;

/** A JSON pointer (RFC 6901). */
const toPointer = (path: Path): string =>
  path.map((name) => `/${shortened(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** A name may be as long as the body. */
const shortened = (name: string): string => (name.length > 100 ? `${name.slice(0, 100)}...` : name);

/** The schema within a preprocessing, a default or an option. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(schema.out);
  const isWrapper =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable;
  return isWrapper ? unwrap(schema.unwrap()) : schema;
}
