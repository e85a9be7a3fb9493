import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql';
import type { Field, Fields, ListItem } from '../dataset/dataset-field.js';
import { unreachable } from '../../platform/kinds/errors.js';
import type { FieldMeaning, WriteValue } from './field-meaning.js';
import { toEnumNames, toTypeName } from './names.js';
import { DateScalar, Integer, Long, Timestamp } from './scalars.js';

/** One field of an object type with its meaning for the executor. */
export interface GraphField {
  type: GraphQLOutputType;
  description?: string;
  meaning: FieldMeaning;
}
export type GraphFields = Record<string, GraphField>;

export interface FieldTypesOptions {
  /** The type of a row; undefined for a dataset that this schema does not have. */
  rowType: (dataset: string) => GraphQLObjectType | undefined;
  claimType: (name: string) => string;
  /** Creates an object type of these fields and records their meanings. */
  objectType: (name: string, description: string, fields: () => GraphFields) => GraphQLObjectType;
}

/** Creates the types of declared fields; a reference to a dataset that the schema does not have is left out. */
export function createFieldTypes({ rowType, claimType, objectType }: FieldTypesOptions) {
  /** @param above name of the type that the fields belong to */
  function fieldsOf(fields: Fields, above: string): GraphFields {
    const found: [string, GraphField][] = [];
    for (const [name, field] of Object.entries(fields)) {
      const made = toField(name, field, `${above}${toTypeName(name)}`);
      if (made !== undefined) found.push([name, made]);
    }
    return Object.fromEntries(found);
  }

  function toField(member: string, field: Field, typeName: string): GraphField | undefined {
    if (field.type === 'ref') return toReference(member, field.dataset, false);
    if (field.type === 'list') {
      if (field.of.type === 'ref') return toReference(member, field.of.dataset, true);
      const { type, write: one } = toScalar(field.of, typeName);
      const write: WriteValue = (value) => (Array.isArray(value) ? `[${value.map(one).join(',')}]` : '[]');
      const list = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
      return { type: list, meaning: { kind: 'value', member, required: false, write } };
    }
    const { required } = field;
    if (field.type === 'object') {
      const inner = fieldsOf(field.fields, typeName);
      if (Object.keys(inner).length === 0) return undefined;
      const type = objectType(claimType(typeName), `Members of \`${member}\`.`, () => inner);
      return { type: required ? new GraphQLNonNull(type) : type, meaning: { kind: 'object', member } };
    }
    const { type, write } = toScalar(field, typeName);
    const orNull: WriteValue = (value) => (value === undefined ? 'null' : write(value));
    return {
      type: required ? new GraphQLNonNull(type) : type,
      meaning: { kind: 'value', member, required, write: required ? write : orNull },
    };
  }

  function toReference(member: string, dataset: string, list: boolean): GraphField | undefined {
    const type = rowType(dataset);
    if (type === undefined) return undefined;
    const meaning: FieldMeaning = { kind: 'reference', member, dataset, list };
    return list
      ? { type: new GraphQLNonNull(new GraphQLList(type)), meaning, description: MISSING_ENTRIES }
      : { type, meaning, description: MISSING };
  }

  function toScalar(item: Exclude<ListItem, { type: 'ref' }>, typeName: string) {
    switch (item.type) {
      case 'text':
        return { type: GraphQLString, write: quoted };
      case 'enum':
        return toEnum(item.values, typeName);
      case 'id':
        return { type: Long, write: plain };
      case 'integer':
        return { type: Integer, write: integer };
      case 'decimal':
        return { type: GraphQLFloat, write: digits };
      case 'boolean':
        return { type: GraphQLBoolean, write: digits };
      case 'date':
        return { type: DateScalar, write: plain };
      case 'timestamp':
        return { type: Timestamp, write: plain };
      default:
        return unreachable(item);
    }
  }

  function toEnum(values: readonly string[], typeName: string) {
    const names = toEnumNames(values);
    const type = new GraphQLEnumType({
      name: claimType(typeName),
      description: [...names].map(([value, name]) => `\`${name}\`: ${value}`).join('\n'),
      values: Object.fromEntries([...names].map(([value, name]) => [name, { value, description: value }])),
    });
    const write: WriteValue = (value) => `"${names.get(String(value)) ?? ''}"`;
    return { type, write };
  }

  return { fieldsOf };
}

const MISSING = 'Null also where it refers to nothing.';
const MISSING_ENTRIES = 'In stored order; null in place of each reference to nothing.';

const quoted: WriteValue = (value) => JSON.stringify(value);
/** Writes texts that need no escapes: digits, dates and times. */
export const plain: WriteValue = (value) => `"${String(value)}"`;
/** Numbers beyond 2^53 are strings of digits, as over REST. */
const integer: WriteValue = (value) => (Number.isSafeInteger(Number(value)) ? String(value) : plain(value));
/** Writes numbers, including bigint, which `JSON.stringify` refuses. */
export const digits: WriteValue = (value) => String(value);
