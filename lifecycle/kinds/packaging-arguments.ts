import { Ajv, type ErrorObject } from 'ajv';
import { DEFAULT_IMAGE_NAME } from './image-name.js';
import type { PackagingIntegrationSpec } from './packaging-integration.js';

// A host name or an address: nothing that a command line could take for an option or for two values.
const HOST = '^[A-Za-z0-9:][A-Za-z0-9.:-]{0,252}$';
const IMAGE = '^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,511}$';
const TAG = '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$';

/**
 * Arguments of `container-rest`: type, default (both of the specification), bounds, and the environment variable of the
 * model server that takes the value. The schema shown by the API, the check before a build and the environment of the
 * image derive from this table; a test holds `runtime/slipway_server/settings.py` to it.
 */
// prettier-ignore
export const REST_ARGUMENTS = {
  imageName:           { type: 'string',  default: DEFAULT_IMAGE_NAME },
  port:                { type: 'integer', default: 5000,         minimum: 1024, maximum: 65535, variable: 'PORT' },
  timeout:             { type: 'integer', default: 60,           minimum: 1,    maximum: 3600,  variable: 'TIMEOUT' },
  workers:             { type: 'integer', default: 1,            minimum: 1,    maximum: 64,    variable: 'WORKERS' },
  threads:             { type: 'integer', default: 4,            minimum: 1,    maximum: 256,   variable: 'THREADS' },
  host:                { type: 'string',  default: '0.0.0.0',    pattern: HOST, variable: 'HOST' },
  dockerfileBaseImage: { type: 'string',  default: 'python:3.6', pattern: IMAGE },
} as const satisfies ArgumentTable;

/** Arguments of `container-cli`. */
export const CLI_ARGUMENTS = {
  imageName: REST_ARGUMENTS.imageName,
  dockerfileBaseImage: REST_ARGUMENTS.dockerfileBaseImage,
} as const satisfies ArgumentTable;

/** Arguments of `container-tensor`. */
export const TENSOR_ARGUMENTS = {
  imageName: REST_ARGUMENTS.imageName,
  server_base_image_tag: { type: 'string', default: '20.11-py3', pattern: TAG },
} as const satisfies ArgumentTable;

export interface IntegerArgument {
  type: 'integer';
  default: number;
  minimum: number;
  maximum: number;
  variable?: string;
}
export interface TextArgument {
  type: 'string';
  default: string;
  /** Absent: any text. */
  pattern?: string;
  variable?: string;
}
/** The arguments of a packager by their names. */
export type ArgumentTable = Readonly<Record<string, IntegerArgument | TextArgument>>;
/** The values of a table's arguments. */
export type ArgumentValues<Table extends ArgumentTable> = {
  [Name in keyof Table]: Table[Name]['type'] extends 'integer' ? number : string;
};
type RestTable = typeof REST_ARGUMENTS;
type ServerArgument = {
  [Name in keyof RestTable]: RestTable[Name] extends { variable: string } ? Name : never;
}[keyof RestTable];

/** The merged arguments of a packaging with `container-rest`; `timeout` is in seconds. */
export type RestArguments = ArgumentValues<RestTable>;
/** The arguments that configure the model server of the image. */
export type ServerArguments = Pick<RestArguments, ServerArgument>;

/** JSON schema fragments of a packager's arguments, in the form of a packaging integration. */
export function propertiesOf(table: ArgumentTable): ArgumentsSpec['properties'] {
  return Object.entries(table).map(([name, { variable: _, ...fragment }]) => ({
    name,
    parameters: Object.entries(fragment).map(([key, value]) => ({ name: key, value: value as unknown })),
  }));
}

/** Environment variables that pass the arguments to the model server. */
export function serverVariables(serving: ServerArguments): Record<string, string> {
  const variables = Object.entries<IntegerArgument | TextArgument>(REST_ARGUMENTS).flatMap(([name, { variable }]) =>
    variable === undefined ? [] : [[variable, String(serving[name as ServerArgument])]],
  );
  return Object.fromEntries(variables) as Record<string, string>;
}

type ArgumentsSpec = PackagingIntegrationSpec['schema']['arguments'];

/** JSON schema of a packager's arguments: each property's parameters are its fragment, other keys are refused. */
export function argumentsSchema({ properties, required }: ArgumentsSpec) {
  const fragments = properties.map(({ name, parameters }) => [
    name,
    Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.value])),
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(fragments) as Record<string, Record<string, unknown>>,
    required,
    additionalProperties: false,
  };
}

/** Arguments as a packager gets them: what was sent over the defaults of the integration. */
export function withDefaultArguments(
  spec: ArgumentsSpec,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults = Object.entries(argumentsSchema(spec).properties).flatMap(([name, fragment]) =>
    Object.hasOwn(fragment, 'default') ? [[name, fragment.default]] : [],
  );
  return { ...(Object.fromEntries(defaults) as Record<string, unknown>), ...given };
}

/** Why an integration's description of its arguments is no JSON schema. */
export function argumentsSchemaProblem(spec: ArgumentsSpec): string | undefined {
  try {
    compile(spec);
    return undefined;
  } catch (err) {
    return err instanceof Error ? err.message : String(err);
  }
}

/** The faults of a packaging's arguments, each text as `field: description`. */
export function argumentProblems(spec: ArgumentsSpec, given: Readonly<Record<string, unknown>>): string[] {
  const validate = compile(spec);
  if (validate(given)) return [];
  return (validate.errors ?? []).map(toText);
}

/** `strict` off: clients' schemas carry keywords of their own. */
const OPTIONS = { allErrors: true, verbose: true, strict: false, logger: false, validateFormats: false } as const;
/** Holds the compiled schema of schemas: compiling it takes 20 times as long as anything else here. */
const schemas = new Ajv(OPTIONS);

/** Compiles in a new instance, since `$id` would collide. @throws Error when the parameters are no JSON schema */
function compile(spec: ArgumentsSpec) {
  const schema = argumentsSchema(spec);
  void schemas.validateSchema(schema, true);
  return new Ajv({ ...OPTIONS, validateSchema: false }).compile(schema);
}

/** Texts that clients know from another validator of the same schemas (gojsonschema), per keyword. */
const TEXTS: Readonly<Record<string, (params: Readonly<Record<string, unknown>>, data: unknown) => string>> = {
  type: ({ type }, data) => `Invalid type. Expected: ${[type].flat().map(String).join(', ')}, given: ${typeName(data)}`,
  required: ({ missingProperty }) => `${String(missingProperty)} is required`,
  additionalProperties: ({ additionalProperty }) => `Additional property ${String(additionalProperty)} is not allowed`,
  minimum: ({ limit }) => `Must be greater than or equal to ${String(limit)}`,
  maximum: ({ limit }) => `Must be less than or equal to ${String(limit)}`,
  exclusiveMinimum: ({ limit }) => `Must be greater than ${String(limit)}`,
  exclusiveMaximum: ({ limit }) => `Must be less than ${String(limit)}`,
  multipleOf: ({ multipleOf }) => `Must be a multiple of ${String(multipleOf)}`,
  minLength: ({ limit }) => `String length must be greater than or equal to ${String(limit)}`,
  maxLength: ({ limit }) => `String length must be less than or equal to ${String(limit)}`,
  pattern: ({ pattern }) => `Does not match pattern '${String(pattern)}'`,
  minItems: ({ limit }) => `Array must have at least ${String(limit)} items`,
  maxItems: ({ limit }) => `Array must have at most ${String(limit)} items`,
  anyOf: () => 'Must validate at least one schema (anyOf)',
  oneOf: () => 'Must validate one and only one schema (oneOf)',
  not: () => 'Must not validate the schema (not)',
};

function toText({ keyword, instancePath, params, data, message }: ErrorObject): string {
  const field = instancePath.split('/').slice(1).map(unescapePointer).join('.') || '(root)';
  const allowed: unknown = params.allowedValues;
  if (Array.isArray(allowed)) {
    return `${field}: ${field} must be one of the following: ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  return `${field}: ${TEXTS[keyword]?.(params, data) ?? message ?? keyword}`;
}

/** RFC 6901: `~1` is a slash, `~0` a tilde. */
const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
