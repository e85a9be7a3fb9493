import type { z } from 'zod';

type Schema = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** A request whose value at a path is at a bound that the document declares, or beyond it. */
export interface Bound {
  /** Such as `triggers.schedule.cron maxLength 100`. */
  name: string;
  path: Path;
  body: unknown;
  isBeyond: boolean;
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** The schema of a value that is there: without the `null` of those that may be absent. */
function ofValue(schema: Schema): Schema {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter(isSchema).filter(({ type }) => type !== 'null');
  return others.length === 1 ? { ...schema, ...others[0], anyOf: undefined } : schema;
}

const texts = (length: number): string => 'x'.repeat(Math.max(0, length));
const items = (length: number): unknown[] => Array.from({ length: Math.max(0, length) }, () => 'x');

/** Values at and beyond each bound of one schema; beyond a lower bound of 0 there is no length. */
function valuesOf(schema: Schema): { bound: string; value: unknown; isBeyond: boolean }[] {
  const found: { bound: string; value: unknown; isBeyond: boolean }[] = [];
  const add = (bound: string, at: unknown, beyond: unknown) =>
    found.push(
      { bound: `${bound} at`, value: at, isBeyond: false },
      { bound: `${bound} beyond`, value: beyond, isBeyond: true },
    );
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems } = schema;
  const safe = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (safe(minimum)) add('minimum', minimum, minimum - 1);
  if (safe(maximum)) add('maximum', maximum, maximum + 1);
  if (safe(exclusiveMinimum)) add('exclusiveMinimum', exclusiveMinimum + 1, exclusiveMinimum);
  if (safe(exclusiveMaximum)) add('exclusiveMaximum', exclusiveMaximum - 1, exclusiveMaximum);
  if (safe(minLength) && minLength > 0) add('minLength', texts(minLength), texts(minLength - 1));
  if (safe(maxLength)) add('maxLength', texts(maxLength), texts(maxLength + 1));
  if (safe(minItems) && minItems > 0) add('minItems', items(minItems), items(minItems - 1));
  if (safe(maxItems)) add('maxItems', items(maxItems), items(maxItems + 1));
  if (schema.type === 'integer') found.push({ bound: 'a fraction', value: 1.5, isBeyond: true });
  if (Array.isArray(schema.enum)) {
    found.push({ bound: 'no value of the enum', value: 'none of them', isBeyond: true });
    for (const value of schema.enum) found.push({ bound: `the value ${String(value)}`, value, isBeyond: false });
  }
  return found;
}

/** A copy of a value with another one at a path; objects and lists on the way are made. */
export function withValue(base: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list = Array.isArray(base) ? [...(base as unknown[])] : [];
    list[step] = withValue(list[step], rest, value);
    return list;
  }
  const object = isSchema(base) && !Array.isArray(base) ? base : {};
  return { ...object, [step]: withValue(Object.hasOwn(object, step) ? object[step] : undefined, rest, value) };
}

/** A request for each bound in a schema, made of a request that is accepted. */
export function* boundsOf(given: Schema, base: unknown, path: Path = []): Generator<Bound> {
  const schema = ofValue(given);
  for (const { bound, value, isBeyond } of valuesOf(schema)) {
    yield { name: `${path.join('.')} ${bound}`, path, body: withValue(base, path, value), isBeyond };
  }
  if (isSchema(schema.properties)) {
    for (const [name, inner] of Object.entries(schema.properties)) {
      if (isSchema(inner)) yield* boundsOf(inner, base, [...path, name]);
    }
  }
  if (isSchema(schema.items)) yield* boundsOf(schema.items, base, [...path, 0]);
}

/** Whether the parser refuses the value at this path itself. */
export function refusesAt(parser: z.ZodType, body: unknown, path: Path): boolean {
  const { error } = parser.safeParse(body);
  return error?.issues.some((issue) => issue.path.join('.') === path.join('.')) ?? false;
}
