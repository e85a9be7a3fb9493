import type { oas31 } from 'openapi3-ts';

export type JsonSchema = oas31.SchemaObject;

/** One type of event in one version of its form. */
export interface EventType {
  /** Such as `dataset.positions.updated`. */
  type: string;
  /** The version of the form; for types of a dataset the generation of its declaration. */
  version: number;
  description: string;
  /** The schema of the member `data` of the event, for each `payload` of a subscription. */
  schema: JsonSchema;
  /** An event of this type. */
  example: { source: string; subject: string; data: Readonly<Record<string, unknown>> };
}

/** Types with the same form: `dataset.positions` of `dataset.positions.updated`. */
export const familyOf = (type: string): string => type.slice(0, Math.max(0, type.lastIndexOf('.')));

/** Path that `dataschema` of an event leads to, below the address of the service. */
export const eventTypePath = (type: string, version: number): string => `/v2/event-types/${type}/${version}`;

/** Tests a type against a name or a family such as `dataset.positions.*`; a summary matches only its own name. */
export const matchesType = (name: string, type: string): boolean =>
  name === type || (name.endsWith('.*') && type.startsWith(name.slice(0, -1)) && !SUMMARY.test(type));
const SUMMARY = /^dataset\.[^.]+\.imported$/;
