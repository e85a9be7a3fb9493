import { canonical } from './aliases.js';
import type { ConnectionSpec } from './connection.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isObjectStore, objectLocation } from './object-location.js';
import { argumentsSchema } from './packaging-arguments.js';
import type { PackagingIntegrationSpec } from './packaging-integration.js';

/** Ids of the connections that a spec gets when it names none. */
export const DEFAULT_CONNECTIONS = { output: 'models-output', registry: 'docker-ci' } as const;

export const REGISTRIES = ['container-registry', 'cloud-registry'];

/** Conditions that every change of a default connection must keep, with the text for a refusal. */
const MUST_STAY: Readonly<Record<string, { fits: (spec: ConnectionSpec) => boolean; text: string }>> = {
  [DEFAULT_CONNECTIONS.registry]: {
    fits: ({ type }) => REGISTRIES.includes(canonical('connectionType', type)),
    text: 'images go there when a packaging names no registry, so it must stay a registry',
  },
  [DEFAULT_CONNECTIONS.output]: {
    fits: (spec) => isObjectStore(spec.type) && objectLocation(spec).provider !== undefined,
    text: 'artifacts go there when a training names no other place, so it must stay an object store with a gs://, s3:// or az:// uri',
  },
};

/**
 * A default connection may lead elsewhere, but it stays one that the platform can use, and vital.
 * @returns the spec to store. @throws forbidden
 */
export function keepDefaultConnection({ id, spec }: { id: string; spec: ConnectionSpec }): ConnectionSpec {
  const rule = Object.hasOwn(MUST_STAY, id) ? MUST_STAY[id] : undefined;
  if (rule === undefined) return spec;
  if (!rule.fits(spec)) throw refused(`connection "${id}" is built in: ${rule.text}`);
  return { ...spec, vital: true };
}

/**
 * A built-in packager may get other images, defaults and further arguments, but what its program reads must be there.
 * @throws forbidden, naming the first that is not
 */
export function keepPackager(id: string, spec: PackagingIntegrationSpec, builtIn: PackagingIntegrationSpec): void {
  const refuse = (what: string) => refused(`packaging integration "${id}" is built in: it must keep ${what}`);
  for (const { name, connectionTypes } of builtIn.schema.targets) {
    const target = spec.schema.targets.find((each) => canonical('packagerTarget', each.name) === name);
    const types = target?.connectionTypes.map((type) => canonical('connectionType', type));
    if (!types?.some((type) => connectionTypes.includes(type))) throw refuse(`the target ${name} for a registry`);
  }
  const given = argumentsSchema(spec.schema.arguments);
  for (const [name, { type }] of Object.entries(argumentsSchema(builtIn.schema.arguments).properties)) {
    const fragment = given.properties[name];
    const always = fragment !== undefined && ('default' in fragment || given.required.includes(name));
    if (!always || fragment.type !== type) {
      throw refuse(`the argument ${name} of type ${String(type)}, with a default or required`);
    }
  }
}

const refused = (text: string) => new SlipwayError('forbidden', `access forbidden: ${text}`);
