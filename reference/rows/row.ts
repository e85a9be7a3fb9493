import type { Field, Fields, LeafField, ListItem, ObjectField } from '../dataset/dataset-field.js';
import { FIELD_LIMITS } from '../dataset/dataset-field.js';
import { ROW_MEMBERS } from '../dataset/dataset-names.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import { MOST_PROBLEMS, type Problem, toPointer } from '../../platform/kinds/problem.js';
import { parseJsonValue, type Scalar, VALUE_WORDS } from './value.js';

/** A stored value: never absent, never `null`; a reference is `{ id }`. */
export type Value = Scalar | readonly Value[] | { readonly [name: string]: Value };
/** The declared fields of a row in normal form and in declared order, without the members that every row has. */
export type Content = Readonly<Record<string, Value>>;

export type RowResult = { ok: true; content: Content } | { ok: false; problems: Problem[] };

interface ValidationContext {
  problems: Problem[];
  path: PropertyKey[];
}

/**
 * Validates a row against its declaration; `null` is absent, an unknown member is a problem. The members that every row
 * has (`id`, `version` and its times) are ignored: the writer validates them.
 * @param given values of the lossless parser, which keeps integers as bigint
 */
export function readRow({ fields }: { fields: Fields }, given: unknown): RowResult {
  const reading: ValidationContext = { problems: [], path: [] };
  const content = readMembers(fields, isRecord(given) ? without(given, ROW_MEMBERS) : given, reading);
  const { problems } = reading;
  return problems.length === 0 && content !== undefined
    ? { ok: true, content }
    : { ok: false, problems: problems.slice(0, MOST_PROBLEMS) };
}

function readMembers(fields: Fields, given: unknown, reading: ValidationContext): Record<string, Value> | undefined {
  if (!isRecord(given)) return refuse(reading, 'wrong_type', 'must be an object');
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(fields, name));
  for (const name of unknown.slice(0, MOST_PROBLEMS)) {
    inside(reading, name, () => refuse(reading, 'unknown_field', 'is not declared'));
  }
  const members: [string, Value][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = inside(reading, name, () =>
      readField(field, Object.hasOwn(given, name) ? given[name] : null, reading),
    );
    if (value !== undefined) members.push([name, value]);
  }
  return Object.fromEntries(members);
}

function readField(field: Field, given: unknown, reading: ValidationContext): Value | undefined {
  if (given === null || given === undefined) {
    return field.required ? refuse(reading, 'required', 'is required') : undefined;
  }
  if (field.type === 'object') return readObject(field, given, reading);
  return field.type === 'list' ? readList(field.of, given, reading) : readItem(field, given, reading);
}

const readObject = ({ fields }: ObjectField, given: unknown, reading: ValidationContext) =>
  readMembers(fields, given, reading);

function readList(of: ListItem, given: unknown, reading: ValidationContext): Value[] | undefined {
  if (!Array.isArray(given)) return refuse(reading, 'wrong_type', 'must be a list');
  if (given.length > FIELD_LIMITS.listItems) {
    return refuse(reading, 'too_long', `must have at most ${FIELD_LIMITS.listItems} entries`);
  }
  return given.flatMap((entry: unknown, at) => inside(reading, at, () => readItem(of, entry, reading)) ?? []);
}

function readItem(item: Exclude<LeafField, { type: 'list' }> | ListItem, given: unknown, reading: ValidationContext) {
  if (item.type === 'ref') return readReference(given, reading);
  const value = parseJsonValue(given, item);
  if (value === undefined) {
    return item.type === 'enum' && typeof given === 'string'
      ? refuse(reading, 'unknown_value', `must be one of: ${shorten(item.values)}`)
      : refuse(reading, 'wrong_type', `takes ${VALUE_WORDS[item.type]}`);
  }
  if (item.type === 'text' && typeof value === 'string' && isLonger(value, item.max_length)) {
    return refuse(reading, 'too_long', `must have at most ${item.max_length} characters`);
  }
  return value;
}

function readReference(given: unknown, reading: ValidationContext): Value | undefined {
  if (!isRecord(given)) return refuse(reading, 'wrong_type', 'must be an object with an id');
  // `missing` is the mark of a dangling reference in responses.
  for (const name of Object.keys(without(given, ['id', 'missing'])).slice(0, MOST_PROBLEMS)) {
    inside(reading, name, () => refuse(reading, 'unknown_field', 'is not declared'));
  }
  return inside(reading, 'id', () => {
    const id = parseJsonValue(given.id, { type: 'id' });
    return id === undefined ? refuse(reading, 'wrong_type', `takes ${VALUE_WORDS.id}`) : { id };
  });
}

const without = (record: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

function inside<Result>({ path }: ValidationContext, step: PropertyKey, read: () => Result): Result {
  path.push(step);
  try {
    return read();
  } finally {
    path.pop();
  }
}

function refuse({ problems, path }: ValidationContext, code: string, message: string): undefined {
  // One more than is listed: the extra one shows that there were more.
  if (problems.length <= MOST_PROBLEMS) problems.push({ code: `entity.${code}`, pointer: toPointer(path), message });
}

const shorten = (values: readonly string[]): string =>
  values.length > 20 ? `${values.slice(0, 20).join(', ')} ...` : values.join(', ');

/** Compares in characters, which are never more than UTF-16 units: most texts need no counting. */
const isLonger = (text: string, most: number): boolean =>
  text.length > most && [...text.slice(0, 2 * most + 2)].length > most;
