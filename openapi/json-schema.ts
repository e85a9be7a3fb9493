import type { oas31 } from 'openapi3-ts';
import { z } from 'zod';

export type JsonSchema = oas31.SchemaObject;

/** Converts a schema for replies: every field with a default is required, and no other field is allowed. */
export function replySchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return json as JsonSchema; // both are JSON Schema 2020-12; the two type definitions differ in detail
}

/** The same for requests: nothing but `required` has to be sent, and unknown fields are ignored at every depth. */
export function requestSchema(schema: z.ZodType, required: readonly string[]): JsonSchema {
  return { ...(relaxed(replySchema(schema)) as JsonSchema), ...(required.length > 0 && { required: [...required] }) };
}

function relaxed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(relaxed);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => !isDemand(key, value))
      .map(([key, value]) => [key, relaxed(value)]),
  );
}

/** `required` and `additionalProperties` as keywords; a property may have these names, its value is a schema then. */
function isDemand(key: string, value: unknown): boolean {
  return (
    (key === 'required' && Array.isArray(value)) ||
    (key === 'additionalProperties' && value === false) ||
    (key === 'default' && value === '')
  );
}
