import type { Field, Fields, ListItem } from '../dataset/dataset-field.js';
import { unreachable } from '../../platform/kinds/errors.js';
import type { Content, Value } from './row.js';

/** Form of ids in JSON: strings of digits, or numbers for clients whose parser keeps 64 bits. */
export type IdForm = 'string' | 'number';

/** A row as clients receive it. */
export interface Row {
  id: bigint;
  version: number;
  /** RFC 3339 UTC with milliseconds. */
  created_at: string;
  updated_at: string;
  content: Content;
}
export type RowWriter = (row: Row) => string;

export interface RowForm {
  ids?: IdForm;
  /** Whether a reference is dangling and gets the member `missing`; without it none does. */
  isMissing?: (dataset: string, id: bigint) => boolean;
}

/** Writes a value of `readRow` for the same declaration: its type is as declared. */
type Write = (value: Value) => string;

/**
 * Compiles a declaration, or the part of it that a projection keeps, to the writer of its rows. No integer is converted
 * to `Number`: ids are written as `IdForm` says, other integers as numbers where a number is exact.
 */
export function createRowWriter({ fields }: { fields: Fields }, form: RowForm = {}): RowWriter {
  const id = idWriter(form);
  const members = memberWriter(fields, form);
  return ({ content, version, created_at, updated_at, id: own }) =>
    `{"id":${id(own)}${members(content, ',')},"version":${version},"created_at":"${created_at}","updated_at":"${updated_at}"}`;
}

const digits: Write = (value) => (value as bigint).toString();
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);
/** Readers of JSON round numbers beyond 2^53, so those are strings of digits. */
const integerDigits: Write = (value) =>
  (value as bigint) <= LARGEST && (value as bigint) >= -LARGEST ? digits(value) : quotedDigits(value);
const quotedDigits: Write = (value) => `"${digits(value)}"`;
const idWriter = ({ ids = 'string' }: RowForm): Write => (ids === 'string' ? quotedDigits : digits);

/** Creates writers of single fields. */
export function createFieldWriters({ fields }: { fields: Fields }): ReadonlyMap<string, (value: Value) => string> {
  return new Map(Object.entries(fields).map(([name, field]) => [name, writer(field, {})]));
}

function memberWriter(fields: Fields, form: RowForm): (content: Content, before: string) => string {
  const writers = Object.entries(fields).map(([name, field]) => ({
    name,
    key: `"${name}":`,
    write: writer(field, form),
  }));
  return (content, before) => {
    let text = '';
    for (const { name, key, write } of writers) {
      // A row has own members only, but a field may be called `constructor`.
      const value = Object.hasOwn(content, name) ? content[name] : undefined;
      if (value !== undefined) text += `${text === '' ? before : ','}${key}${write(value)}`;
    }
    return text;
  };
}

function writer(field: Field | ListItem, form: RowForm): Write {
  switch (field.type) {
    case 'object': {
      const members = memberWriter(field.fields, form);
      return (value) => `{${members(value as Content, '')}}`;
    }
    case 'list': {
      const write = writer(field.of, form);
      return (value) => `[${(value as readonly Value[]).map(write).join(',')}]`;
    }
    case 'ref':
      return referenceWriter(field.dataset, form);
    case 'id':
      return idWriter(form);
    case 'integer':
      return form.ids === 'number' ? digits : integerDigits;
    case 'text':
    case 'enum':
    case 'decimal':
    case 'boolean':
    case 'date':
    case 'timestamp':
      return JSON.stringify;
    default:
      return unreachable(field);
  }
}

function referenceWriter(dataset: string, form: RowForm): Write {
  const { isMissing } = form;
  const write = idWriter(form);
  return (value) => {
    const { id } = value as { id: bigint };
    return isMissing?.(dataset, id) ? `{"id":${write(id)},"missing":true}` : `{"id":${write(id)}}`;
  };
}
