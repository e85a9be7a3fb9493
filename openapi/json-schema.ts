import type { oas31 } from 'openapi3-ts';
import { z } from 'zod';

export type JsonSchema = oas31.SchemaObject;

/** Converts a schema for replies: every field with a default is required, and no other field is allowed. */
export function replySchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return json as JsonSchema; // both are JSON Schema 2020-12; the two type definitions differ in detail
}

/** The same for requests: nothing but `required` has to be sent. */
export const requestSchema = (schema: z.ZodType, required: readonly string[]): JsonSchema => ({
  ...(withoutDemands(replySchema(schema)) as JsonSchema), // of a schema without some of its keywords
  ...(required.length > 0 && { required: [...required] }),
});

function withoutDemands(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDemands);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => !isDemand(key, value))
      .map(([key, value]) => [key, withoutDemands(value)]),
  );
}

/** `required` as a keyword; a property may have this name, its value is a schema then. */
const isDemand = (key: string, value: unknown): boolean =>
  (key === 'required' && Array.isArray(value)) || (key === 'default' && value === '');
