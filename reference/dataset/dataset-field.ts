import { z } from 'zod';
import { datasetNameProblem, fieldNameProblem } from './dataset-names.js';
import { isRecord } from '../../platform/kinds/lenient.js';

/** The types of a plain value; a reference reads and writes as `{"id": "..."}`. */
const SCALAR_TYPES = ['text', 'integer', 'id', 'decimal', 'boolean', 'date', 'timestamp', 'enum'] as const;
export type ScalarType = (typeof SCALAR_TYPES)[number];

export const FIELD_LIMITS = {
  /** Objects inside objects. */
  depth: 4,
  /** Fields on all levels together. */
  fields: 200,
  textLength: 10_000,
  defaultTextLength: 1_000,
  enumValues: 1_000,
  enumValueLength: 100,
  listItems: 1_000,
} as const;

/** Schema of an integer in a range; a bigint from the lossless parser is accepted. */
export function count(from: number, to: number) {
  const words = `must be an integer from ${from} to ${to}`;
  return z.preprocess(
    (value) => (typeof value === 'bigint' ? Number(value) : value),
    z.int(words).min(from, words).max(to, words),
  );
}

const required = z.boolean('must be true or false').default(false);
/** `filterable`: allowed in a filter; `sortable`: allowed in `order_by`. */
const usable = {
  filterable: z.boolean('must be true or false').default(true),
  sortable: z.boolean('must be true or false').default(true),
};

const EnumValue = z
  .string('must be text')
  .min(1, 'must not be empty')
  .max(FIELD_LIMITS.enumValueLength, `must have at most ${FIELD_LIMITS.enumValueLength} characters`)
  .refine((value) => value === value.normalize('NFC') && !/[\p{Surrogate}\0]/u.test(value), 'must be NFC text');
const EnumValues = z
  .array(EnumValue, 'must be a list of texts')
  .min(1, 'must have at least one value')
  .max(FIELD_LIMITS.enumValues, `must have at most ${FIELD_LIMITS.enumValues} values`)
  .refine((values) => new Set(values).size === values.length, 'must not repeat a value');

const text = {
  type: z.literal('text'),
  /** In characters (code points) of the NFC form. */
  max_length: count(1, FIELD_LIMITS.textLength).default(FIELD_LIMITS.defaultTextLength),
  /** Known values, shown to clients in the OpenAPI document; any other text is accepted too. */
  suggested_values: EnumValues.optional(),
};
const enumeration = { type: z.literal('enum'), values: EnumValues };
const plain = { type: z.enum(['integer', 'id', 'decimal', 'boolean', 'date', 'timestamp']) };
const reference = {
  type: z.literal('ref'),
  dataset: z.string('must name a dataset').superRefine((name, context) => {
    const message = datasetNameProblem(name);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
  /** When the row that it refers to is to be deleted: refuse that, or keep a reference to nothing. */
  on_delete: z.enum(['restrict', 'keep'], 'must be restrict or keep').default('restrict'),
};

const UNKNOWN_TYPE = `must be an object with a type of: ${[...SCALAR_TYPES, 'ref', 'object', 'list'].join(', ')}`;
const ListItem = z.discriminatedUnion(
  'type',
  [z.strictObject(text), z.strictObject(enumeration), z.strictObject(plain), z.strictObject(reference)],
  'a list holds plain values or references, no objects and no lists',
);
export type ListItem = z.infer<typeof ListItem>;

const common = { required, ...usable };
const leaves = [
  z.strictObject({ ...text, ...common }),
  z.strictObject({ ...enumeration, ...common }),
  z.strictObject({ ...plain, ...common }),
  z.strictObject({ ...reference, ...common }),
  z.strictObject({ type: z.literal('list'), of: ListItem, required, filterable: usable.filterable }),
] as const;

export type LeafField = z.infer<(typeof leaves)[number]>;
export interface ObjectField {
  type: 'object';
  required: boolean;
  fields: Fields;
}
export type Field = LeafField | ObjectField;
/** By name; ask with `Object.hasOwn`, since a field may be named like something that every object has. */
export type Fields = Readonly<Record<string, Field>>;

/** One schema for each level rather than a recursive one: what a client nests deeper is never walked. */
function fieldsOf(level: number): z.ZodType<Fields> {
  const nested =
    level === FIELD_LIMITS.depth
      ? z.looseObject({ type: z.literal('object').refine(() => false, `objects nest at most ${level} levels deep`) })
      : z.strictObject({ type: z.literal('object'), required, fields: fieldsOf(level + 1) });
  const field = z.discriminatedUnion('type', [...leaves, nested], UNKNOWN_TYPE);
  // On the deepest level the type of `nested` says more than what its refinement lets through.
  return wellNamed(level === 0).pipe(z.record(z.string(), field as unknown as z.ZodType<Field>));
}

/** Validates the names separately, since a record schema silently drops a member called `__proto__`. */
const wellNamed = (top: boolean) =>
  z.custom<Record<string, unknown>>(isRecord, 'must be an object of fields by name').superRefine((given, context) => {
    if (!isRecord(given)) return;
    const names = Object.keys(given);
    if (names.length === 0) context.addIssue({ code: 'custom', message: 'must have at least one field' });
    if (names.length > FIELD_LIMITS.fields) {
      context.addIssue({ code: 'custom', message: `must have at most ${FIELD_LIMITS.fields} fields` });
      return;
    }
    for (const name of names) {
      const message = fieldNameProblem(name, { top });
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
  });

export const Fields = fieldsOf(0);
