import { Ajv, type ErrorObject } from 'ajv';
import type { PackagingIntegrationSpec } from './packaging-integration.js';

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

/** What is wrong with the arguments of a packaging, each text as `field: description`. */
export function argumentProblems(spec: ArgumentsSpec, given: Readonly<Record<string, unknown>>): string[] {
  const validate = compile(spec);
  if (validate(given)) return [];
  return (validate.errors ?? []).map(toText);
}

/** `strict` off: clients' schemas carry words of their own. A new instance each time, since `$id` would collide. */
const compile = (spec: ArgumentsSpec) =>
  new Ajv({ allErrors: true, verbose: true, strict: false, logger: false, validateFormats: false }).compile(
    argumentsSchema(spec),
  );

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
