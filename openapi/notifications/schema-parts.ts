import type { oas31 } from 'openapi3-ts';

export const TEXT: oas31.SchemaObject = { type: 'string' };
export const TIME: oas31.SchemaObject = { type: 'string', format: 'date-time' };
export const COUNT: oas31.SchemaObject = { type: 'integer', minimum: 0 };
export const nullable = (schema: oas31.SchemaObject): oas31.SchemaObject => ({ anyOf: [schema, { type: 'null' }] });
export const listOf = (items: oas31.SchemaObject | oas31.ReferenceObject): oas31.SchemaObject => ({
  type: 'array',
  items,
});

export const STATES = ['pending', 'sending', 'checking', 'held', 'delivered', 'failed', 'cancelled'];
export const OUTCOMES = ['confirmed', 'not_sent', 'refused', 'ambiguous'];
export const OUTCOME: oas31.SchemaObject = { type: 'string', enum: OUTCOMES };
