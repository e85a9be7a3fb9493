import { expect, test } from 'vitest';
import { DEFAULT_CONNECTIONS, keepDefaultConnection, keepPackager } from '../../../lifecycle/kinds/built-in-rules.js';
import { ConnectionSpec } from '../../../lifecycle/kinds/connection.js';
import type { PackagingIntegrationSpec } from '../../../lifecycle/kinds/packaging-integration.js';

const connection = (id: string, type: string, uri: string) => ({ id, spec: ConnectionSpec.parse({ type, uri }) });

test.each([
  [DEFAULT_CONNECTIONS.registry, 'container-registry', 'other.example/models', true],
  [DEFAULT_CONNECTIONS.registry, 'cloud-registry', 'other.example/models', true],
  [DEFAULT_CONNECTIONS.registry, 'git', 'https://git.example/a', false],
  [DEFAULT_CONNECTIONS.output, 'gcs', 'gs://another', true],
  [DEFAULT_CONNECTIONS.output, 's3', 's3://another', true],
  [DEFAULT_CONNECTIONS.output, 'object-store', 'ftp://another', false],
  [DEFAULT_CONNECTIONS.output, 'container-registry', 'other.example', false],
])('the default connection %s as a %s at %s is allowed: %s', (id, type, uri, allowed) => {
  const given = connection(id, type, uri);
  if (allowed) expect(keepDefaultConnection(given)).toEqual({ ...given.spec, vital: true });
  else expect(() => keepDefaultConnection(given)).toThrow(expect.objectContaining({ code: 'forbidden' }));
});

test.each(['mine', 'constructor', '__proto__', 'toString'])('the connection %s is not built in', (id) => {
  const given = connection(id, 'git', 'https://git.example/a');
  expect(keepDefaultConnection(given)).toBe(given.spec);
});

const BUILT_IN = packager(
  [{ name: 'container-push', connectionTypes: ['container-registry'] }],
  { port: { type: 'integer', default: 5_000 }, imageName: { type: 'string' } },
  ['imageName'],
);
/** @param fragments JSON schema of each argument */
function packager(targets: object[], fragments: Record<string, object>, required: string[] = []) {
  const properties = Object.entries(fragments).map(([name, fragment]) => ({
    name,
    parameters: Object.entries(fragment).map(([parameter, value]) => ({ name: parameter, value: value as unknown })),
  }));
  return { schema: { targets, arguments: { properties, required } } } as unknown as PackagingIntegrationSpec;
}
const { targets } = BUILT_IN.schema;
const ARGUMENTS = { port: { type: 'integer', default: 80 }, imageName: { type: 'string', default: 'x' } };

test.each<[string, PackagingIntegrationSpec, boolean]>([
  ['the same', BUILT_IN, true],
  ['other defaults', packager(targets, ARGUMENTS), true],
  [
    'a required argument instead of a default',
    packager(targets, { ...ARGUMENTS, port: { type: 'integer' } }, ['port']),
    true,
  ],
  ['one more argument', packager(targets, { ...ARGUMENTS, more: { type: 'string' } }), true],
  ['one argument less', packager(targets, { port: ARGUMENTS.port }), false],
  ['an argument of another type', packager(targets, { ...ARGUMENTS, port: { type: 'string', default: '' } }), false],
  ['an argument that may be absent', packager(targets, { ...ARGUMENTS, port: { type: 'integer' } }), false],
  ['no target', packager([], ARGUMENTS), false],
  ['a target for something else', packager([{ name: 'container-push', connectionTypes: ['git'] }], ARGUMENTS), false],
  [
    'a target for a registry among others',
    packager([{ name: 'container-push', connectionTypes: ['git', 'container-registry'] }], ARGUMENTS),
    true,
  ],
])('a built-in packager with %s', (_, spec, allowed) => {
  const keep = () => keepPackager('container-rest', spec, BUILT_IN);
  if (allowed) expect(keep).not.toThrow();
  else expect(keep).toThrow(expect.objectContaining({ code: 'forbidden' }));
});
