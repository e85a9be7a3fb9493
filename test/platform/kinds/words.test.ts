import { expect, test } from 'vitest';
import { aliasOf, canonical, sameName, type Vocabulary } from '../../../lifecycle/kinds/aliases.js';
import { mayInvoke, rolesOf } from '../../../platform/kinds/roles.js';

// prettier-ignore
const ONE_TO_ONE: readonly (readonly [Vocabulary, string, string])[] = [
  ['connectionType',   'docker',                'container-registry'],
  ['connectionType',   'ecr',                   'cloud-registry'],
  ['toolchain',        'mlflow',                'ml-toolchain'],
  ['predictor',        'odahu-ml-server',       'platform-ml-server'],
  ['predictor',        'triton',                'tensor-server'],
  ['packager',         'docker-rest',           'container-rest'],
  ['packager',         'docker-cli',            'container-cli'],
  ['packager',         'docker-triton',         'container-tensor'],
  ['packagerTarget',   'docker-push',           'container-push'],
  ['packagerTarget',   'docker-pull',           'container-pull'],
  ['packagerArgument', 'triton_base_image_tag', 'server_base_image_tag'],
];
test.each(ONE_TO_ONE)('%s: %s is %s, there and back', (vocabulary, alias, ours) => {
  expect(canonical(vocabulary, alias)).toBe(ours);
  expect(canonical(vocabulary, ours)).toBe(ours);
  expect(aliasOf(vocabulary, ours)).toBe(alias);
  expect(sameName(vocabulary, alias, ours)).toBe(true);
});

test.each(['gcs', 's3', 'azureblob'])('%s is an object store, which has no single alias', (word) => {
  expect(canonical('connectionType', word)).toBe('object-store');
  expect(aliasOf('connectionType', 'object-store')).toBe('object-store');
});

test.each(['git', 'mlflow-project', 'constructor', '__proto__', ''])('%j is its own word', (word) => {
  expect(canonical('connectionType', word)).toBe(word);
});

test('roles come from every configured claim, in our words, once each', () => {
  const claims = {
    realm_access: { roles: ['platform_admin', 'wine-callers'] },
    roles: ['odahu_data_scientist', 5, 'admin'],
    groups: 'odahu_viewer',
    'https://issuer/roles': ['dotted.io'],
  };
  const paths = ['realm_access.roles', 'roles', 'groups', 'https://issuer/roles', 'missing.path', 'toString'];
  expect(rolesOf(claims, { roleClaims: paths })).toEqual([
    'admin',
    'wine-callers',
    'data_scientist',
    'viewer',
    'dotted.io',
  ]);
});

test.each([null, 'x', [], { roles: {} }, { roles: null }])('claims %j carry no role', (claims) => {
  expect(rolesOf(claims, { roleClaims: ['roles', 'roles.constructor'] })).toEqual([]);
});

test('with a map only its values give a role of the platform, and free role names stay', () => {
  const roleMap = { 'ml-admins': 'admin', viewer: 'viewer' } as const;
  const rolesWith = (...roles: string[]) => rolesOf({ roles }, { roleClaims: ['roles'], roleMap });
  expect(rolesWith('admin', 'data_scientist', 'odahu_admin', 'wine-callers')).toEqual(['odahu_admin', 'wine-callers']);
  expect(rolesWith('ml-admins', 'viewer', 'constructor')).toEqual(['admin', 'viewer', 'constructor']);
});

test('a viewer invokes no model, a custom role only its own', () => {
  const own = ['role-iris', 'role-shop'];
  expect(
    [['admin'], ['data_scientist'], ['viewer'], ['role-iris'], ['role-shop'], ['other'], []].map((roles) =>
      mayInvoke(roles, own),
    ),
  ).toEqual([true, true, false, true, true, false, false]);
});
