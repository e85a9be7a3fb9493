import { GraphQLFloat, GraphQLInt, GraphQLList, GraphQLNonNull, type GraphQLObjectType, GraphQLString } from 'graphql';
import { figureText } from '../dataset/figures.js';
import type { GraphFields } from './field-types.js';
import { FieldValue } from './scalars.js';

interface FigureTypesOptions {
  objectType: (name: string, description: string, fields: () => GraphFields) => GraphQLObjectType;
}

/** Creates the fields of a connection that count and aggregate the rows of its whole search. */
export function createFigureTypes({ objectType }: FigureTypesOptions): (dataset: string) => GraphFields {
  const value = objectType('FacetValue', 'A value, and the number of rows that have it.', () => ({
    value: { type: required(FieldValue), meaning: { kind: 'facet_value', write: (each) => figureText(each.value) } },
    count: { type: required(GraphQLInt), meaning: { kind: 'facet_value', write: ({ count }) => String(count) } },
  }));
  const facet = objectType('Facet', 'The most frequent values of a field, at most 100.', () => ({
    field: { type: required(GraphQLString), meaning: { kind: 'facet', write: ({ field }) => JSON.stringify(field) } },
    values: { type: required(new GraphQLList(required(value))), meaning: { kind: 'facet_values' } },
    others: {
      type: required(GraphQLInt),
      meaning: { kind: 'facet', write: ({ others }) => String(others) },
      description: 'Rows that have only values beyond the listed ones.',
    },
    missing: {
      type: required(GraphQLInt),
      meaning: { kind: 'facet', write: ({ missing }) => String(missing) },
      description: 'Rows without a value.',
    },
  }));
  const aggregate = objectType('Aggregate', 'Aggregates of a field of numbers.', () => ({
    field: {
      type: required(GraphQLString),
      meaning: { kind: 'aggregate', write: ({ field }) => JSON.stringify(field) },
    },
    count: { type: required(GraphQLInt), meaning: { kind: 'aggregate', write: ({ count }) => String(count) } },
    min: { type: FieldValue, meaning: { kind: 'aggregate', write: ({ min }) => figureText(min) } },
    max: { type: FieldValue, meaning: { kind: 'aggregate', write: ({ max }) => figureText(max) } },
    sum: { type: required(FieldValue), meaning: { kind: 'aggregate', write: ({ sum }) => figureText(sum) } },
    average: { type: GraphQLFloat, meaning: { kind: 'aggregate', write: ({ average }) => figureText(average) } },
  }));
  return (dataset) => ({
    facets: {
      type: required(new GraphQLList(required(facet))),
      meaning: { kind: 'facets', dataset },
      description: 'How many rows of the whole search have which value; up to 10 fields, such as `customer.id`.',
    },
    aggregates: {
      type: required(new GraphQLList(required(aggregate))),
      meaning: { kind: 'aggregates', dataset },
      description: 'Count, min, max, sum and average of up to 10 fields of numbers over the whole search.',
    },
  });
}

const required = <Type extends ConstructorParameters<typeof GraphQLNonNull>[0]>(type: Type) => new GraphQLNonNull(type);
