import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { platformType } from './catalogue.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import { datasetTypes } from './dataset-events.js';
import type { EventType } from './event-type.js';

/** An event as far as its form goes. */
export interface Formed {
  type: string;
  /** The version of its schema; absent where the schema is not known, and nothing can be validated. */
  schemaVersion?: number;
  /** Such as the name of a dataset. */
  stream: string;
}

/** Data that are not as the catalogue says: a bug of ours, and no reason to lose the event. */
export interface SchemaFault {
  type: string;
  version: number;
  /** Where, and what is wrong there. */
  problems: string;
  /** How many there were of this type and version, with this one. */
  count: number;
}

export interface SchemaCheckOptions {
  onFault: (fault: SchemaFault) => void;
}

const MOST_SCHEMAS = 1_000;

/** Validates the data of events against the catalogue. @returns a function that takes an event and its data as text */
export function createSchemaCheck({ onFault }: SchemaCheckOptions) {
  const validators = new LRUCache<string, ValidateFunction>({ max: MOST_SCHEMAS });
  const faults = new Map<string, number>();

  return ({ type, stream, schemaVersion }: Formed, data: string, declared: DeclaredFields): void => {
    if (schemaVersion === undefined) return;
    const key = `${type}/${schemaVersion}`;
    let validate = validators.get(key);
    if (validate === undefined) {
      const known = platformType(type) ?? datasetTypes(stream, declared).find((each) => each.type === type);
      validate = known ? compileSchema(known) : NEVER;
      validators.set(key, validate);
    }
    if (validate(JSON.parse(data))) return;
    const count = (faults.get(key) ?? 0) + 1;
    faults.set(key, count);
    onFault({ type, version: schemaVersion, problems: ajv.errorsText(validate.errors), count });
  };
}
export type SchemaCheck = ReturnType<typeof createSchemaCheck>;

/** Formats inform readers of the catalogue, and the producer of the values ensures them; tests validate the schemas. */
const OPTIONS = { strict: false, validateFormats: false, validateSchema: false } as const;
const ajv = new Ajv2020(OPTIONS);
const NEVER = ajv.compile({ description: 'a type that is in no catalogue', not: {} });

/** A new instance each time: one keeps every schema that it has seen. */
const compileSchema = ({ schema }: EventType): ValidateFunction => new Ajv2020(OPTIONS).compile(schema);
