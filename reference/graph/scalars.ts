import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import type { ScalarType } from '../dataset/dataset-field.js';
import { type Scalar, parseJsonValue, VALUE_WORDS } from '../rows/value.js';

/** Creates a scalar that reads input only: values are written to answers as they are stored. */
function scalar(name: string, type: ScalarType, description: string): GraphQLScalarType<Scalar> {
  const read = (given: unknown, node?: ValueNode): Scalar => {
    const value = parseJsonValue(given, { type });
    if (value !== undefined) return value;
    const code = type === 'id' ? 'id.malformed' : 'graphql.variables';
    throw new GraphQLError(`${name} takes ${VALUE_WORDS[type]}`, { nodes: node, extensions: { code } });
  };
  return new GraphQLScalarType<Scalar>({
    name,
    description,
    parseValue: (given) => read(given),
    // Reads the digits as written: they are never converted to a number.
    parseLiteral: (node) => read(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined, node),
  });
}

export const Long = scalar(
  'Long',
  'id',
  'An integer from 1 to 9223372036854775807. Answers have it as a string of digits; it is taken as a string or as digits.',
);
export const Integer = scalar(
  'Integer',
  'integer',
  'An integer of 64 bits: a number up to 9007199254740991, beyond it a string of digits.',
);
/** Values of fields of any type: of answers alone. */
export const FieldValue = new GraphQLScalarType<unknown>({
  name: 'FieldValue',
  description: 'The value of a field, as over REST: text, a number, a boolean, or a string of digits beyond 2^53.',
});
export const DateScalar = scalar('Date', 'date', 'A day such as 2026-03-01.');
export const Timestamp = scalar('Timestamp', 'timestamp', 'A time in UTC such as 2026-03-01T08:00:00.250Z.');
