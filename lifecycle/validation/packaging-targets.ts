import { canonical, sameName } from '../kinds/aliases.js';
import type { ConnectionSpec } from '../kinds/connection.js';
import type { Findings } from '../../platform/kinds/findings.js';
import { isObjectStore, objectLocation } from '../kinds/object-location.js';
import type { PackagingIntegration } from '../kinds/packaging-integration.js';
import type { PackagingSpec } from '../kinds/packaging.js';
import { missing } from './placement-checks.js';
import type { Lookups } from './validation.js';

type Target = PackagingSpec['targets'][number];
type TargetSchema = PackagingIntegration['spec']['schema']['targets'][number];
interface Against {
  integration: PackagingIntegration;
  lookups: Lookups;
}

const isFor = (schema: TargetSchema, { name }: Target): boolean => sameName('packagerTarget', schema.name, name);

/**
 * Validates the targets of a packaging against its integration; each of the integration's can be taken once.
 * @returns the targets with the integration's defaults appended
 */
export async function checkTargets(findings: Findings, given: readonly Target[], { integration, lookups }: Against) {
  findings.misfit('spec.targets');
  const open = new Set(integration.spec.schema.targets);
  for (const [at, target] of given.entries()) {
    const path = `spec.targets.${at}`;
    if (findings.misfit(`${path}.name`)) continue;
    const schema = [...open].find((each) => isFor(each, target));
    if (schema === undefined) {
      const message = `cannot find ${target.name} target in packaging integration ${integration.id}`;
      findings.add(`${path}.name`, 'not_found', message);
    } else {
      open.delete(schema);
      await checkTarget(findings, { target, schema, path: `${path}.connectionName` }, { integration, lookups });
    }
  }
  const left = [...open];
  const defaults = left.flatMap(({ name, default: connectionName }) =>
    connectionName ? [{ name, connectionName }] : [],
  );
  const required = left.filter((schema) => schema.required && !schema.default).map(({ name }) => name);
  if (required.length > 0) findings.add('spec.targets', 'required', `[${required.join(' ')}] are required targets`);
  return [...given, ...defaults];
}

async function checkTarget(
  findings: Findings,
  { target, schema, path }: { target: Target; schema: TargetSchema; path: string },
  { integration, lookups }: Against,
): Promise<void> {
  if (findings.misfit(path)) return;
  const found = target.connectionName === '' ? undefined : await lookups.connection(target.connectionName);
  if (found === undefined) {
    findings.add(path, 'not_found', missing(target.connectionName));
  } else if (!schema.connectionTypes.some((type) => accepts(type, found.spec))) {
    const rest = `connection type ${found.spec.type} for packaging integration ${integration.id}`;
    findings.add(path, 'wrong_connection_type', `${target.name} target has not valid ${rest}`);
  }
}

/** `object-store` takes every store; one store's own type takes that store under either name. */
function accepts(type: string, spec: ConnectionSpec): boolean {
  if (!sameName('connectionType', type, spec.type)) return false;
  if (!isObjectStore(type) || type === 'object-store') return true;
  return objectLocation({ type, uri: '' }).provider === objectLocation(spec).provider;
}

/** Address of the registry that the image goes to, if the packaging names one that exists. */
export async function findPushUri(
  given: readonly Target[],
  { integration, lookups }: Against,
): Promise<string | undefined> {
  const isPush = (name: string) => canonical('packagerTarget', name) === 'container-push';
  const byDefault = integration.spec.schema.targets.find(({ name }) => isPush(name))?.default;
  const id = given.find(({ name }) => isPush(name))?.connectionName ?? byDefault;
  return id ? (await lookups.connection(id))?.spec.uri : undefined;
}
