import { describe, expect, test } from 'vitest';
import { acceptConnection } from '../../../lifecycle/validation/connection-validation.js';
import { stored, installation, refusal } from '../kinds/installation.js';

const PREFIX = 'Validation of connection is failed: ';
const SECRET = 'c2VjcmV0';
const accept = (spec: unknown, id: unknown = 'conn') => acceptConnection({ id, spec }, installation());
const issues = async (spec: unknown, id?: unknown) => {
  const message = await refusal(accept(spec, id));
  expect(message.startsWith(PREFIX)).toBe(true);
  return message.slice(PREFIX.length);
};

test('the list of errors is the one of the guide', async () => {
  expect(await refusal(accept({ type: 'gcs', region: 'eu' }))).toBe(
    'Validation of connection is failed: empty uri; gcs type requires that keySecret parameter must be non-empty',
  );
});

test('id, Base64 fields, uri and type are judged in this order', async () => {
  const spec = { type: 'nfs', password: '!', keySecret: 'QUI', keyID: 'Q===', publicKey: 'QUJD\nQ' };
  expect(await issues(spec, 'Bad')).toBe(
    'ID is not valid: use 1 to 63 of a-z, 0-9 and -, a letter first, no - at the end; ' +
      'password must be base64-encoded, error: illegal base64 data at input byte 0; ' +
      'key secret must be base64-encoded, error: illegal base64 data at input byte 0; ' +
      'key id must be base64-encoded, error: illegal base64 data at input byte 1; ' +
      'public key must be base64-encoded, error: illegal base64 data at input byte 5; ' +
      'empty uri; ' +
      'unknown type: nfs. Supported types: [s3 gcs azureblob git docker ecr object-store container-registry cloud-registry]',
  );
});

// prettier-ignore
const REFUSED = [
  [{ type: 'gcs', uri: 'gs://b' }, 'gcs type requires that region must be non-empty; gcs type requires that keySecret parameter must be non-empty'],
  [{ type: 'gcs', uri: 'gs://b', region: 'eu', role: 'r', keySecret: SECRET }, 'gcs type does not support role parameter yet must be non-empty'],
  [{ type: 's3', uri: 's3://b', role: 'r' }, 's3 type requires that region must be non-empty; s3 type does not support role parameter yet; s3 type requires that keyID and keySecret parameters must be non-empty'],
  [{ type: 's3', uri: 's3://b', region: 'eu', keyID: SECRET }, 's3 type requires that keyID and keySecret parameters must be non-empty'],
  [{ type: 'azureblob', uri: 'https://a/c' }, 'azureblob type requires that keySecret parameter contains HTTP endpoint with SAS Token'],
  [{ type: 'object-store', uri: 'other-bucket' }, 'object-store type requires that keySecret parameter must be non-empty'],
  [{ type: 'object-store', uri: 's3://slipways', role: 'r' }, 'object-store type does not support role parameter yet; object-store type requires that keyID and keySecret parameters must be non-empty'],
  [{ type: 'object-store', uri: 'az://account/container' }, 'object-store type requires that keySecret parameter contains HTTP endpoint with SAS Token'],
  [{ type: 'gcs', uri: 'gs://%73lipway/logs', region: 'eu', keySecret: SECRET }, 'uri of gcs type: "%73lipway" is no name of a bucket: it has lower-case letters, digits, ".", "_" and "-"'],
  [{ type: 'object-store', uri: 'gs://a?b', keySecret: SECRET }, 'uri of object-store type: "a?b" is no name of a bucket: it has lower-case letters, digits, ".", "_" and "-"'],
  [{ type: 'object-store', uri: 'ftp://bucket' }, 'object-store type requires a uri with scheme gs, s3 or az'],
  [{ type: 'docker', uri: 'host/path' }, 'docker type requires the password parameter; docker type requires the username parameter'],
  [{ type: 'container-registry', uri: 'host', username: 'u' }, 'container-registry type requires the password parameter'],
  [{ type: 'container-registry', uri: 'host', password: SECRET }, 'container-registry type requires the username parameter'],
  [{ type: 'container-registry', uri: 'https://host/x' }, 'uri of container-registry type must be host[:port][/path] without a scheme'],
  [{ type: 'container-registry', uri: 'host/x y' }, 'uri of container-registry type must be host[:port][/path] without a scheme'],
  [{ type: 'cloud-registry', uri: 'oci://host/x' }, 'uri of cloud-registry type must be host[:port][/path] without a scheme'],
  [{ type: 'ecr', uri: 'https://123.dkr.ecr.eu-west-1.amazonaws.com/x', keyID: SECRET, keySecret: SECRET }, 'uri of ecr type must be host[:port][/path] without a scheme'],
  [{ type: 'ecr', uri: 'docker.io/x' }, 'not valid uri for ecr type: it is no registry of Elastic Container Registry; ecr type requires that keyID and keySecret parameters must be non-empty'],
  [{ type: 'cloud-registry', uri: '123.dkr.ecr.eu-west-1.amazonaws.com/x' }, 'cloud-registry type requires that keyID and keySecret parameters must be non-empty'],
  [{ type: 'cloud-registry', uri: 'acme.azurecr.io/x', keyID: SECRET, keySecret: SECRET }, 'cloud-registry type requires that keyID is TENANT/CLIENT for acme.azurecr.io, the service principal of keySecret'],
  [{ type: 'git', uri: 'https://user:secret@host/x' }, 'uri must not contain a password'],
  [{ type: 'git', uri: 'ext::sh -c id' }, 'uri of git type must be https://host/path, ssh://host/path or user@host:path'],
  [{ type: 'git', uri: '/srv/repository' }, 'uri of git type must not be a local path'],
  [{ type: 'git', uri: 'http://host/x', keySecret: SECRET }, 'uri of git type must begin with https:// when keySecret is given'],
  [{ type: 'git', uri: 'http://127.evil.example/x', keySecret: SECRET }, 'uri of git type must begin with https:// when keySecret is given'],
  [{ type: 'git', uri: ['x'], vital: 'maybe' }, 'spec.uri must be text; spec.vital must be true or false'],
  [{ type: {}, uri: 'x', password: 5 }, 'spec.password must be text; spec.type must be text'],
] as const;
test.each(REFUSED)('%j is refused', async (spec, text) => {
  expect(await issues(spec)).toBe(text);
});

// prettier-ignore
const ACCEPTED = [
  { type: 'gcs', uri: 'gs://b/p', region: 'eu', keySecret: SECRET },
  { type: 'object-store', uri: 'gs://slipway/data' },
  { type: 'object-store', uri: 's3://b', keyID: SECRET, keySecret: SECRET },
  { type: 'container-registry', uri: 'localhost:5000/x' },
  { type: 'container-registry', uri: 'registry.example.org/Team/' },
  { type: 'cloud-registry', uri: 'europe-docker.pkg.dev/x' },
  { type: 'cloud-registry', uri: 'acme.azurecr.io/x', keyID: Buffer.from('acme.test/app-1').toString('base64'), keySecret: SECRET },
  { type: 'git', uri: 'git@github.com:org/repo.git', reference: 'main' },
  { type: 'git', uri: 'https://github.com/org/repo' },
  { type: 'git', uri: 'http://host/x' },
  { type: 'git', uri: 'http://127.0.0.1:3000/x', keySecret: SECRET },
] as const;
test.each(ACCEPTED)('%j is stored as it was sent', async (spec) => {
  expect(await accept(spec)).toEqual({ id: 'conn', spec: { ...spec, vital: false } });
});

test('an unset field may be null or empty text, and unknown fields are dropped', async () => {
  const spec = { type: 'git', uri: 'git@h:p', region: '', keySecret: null, vital: null, _comment: 'x' };
  expect(await accept(spec)).toEqual({ id: 'conn', spec: { type: 'git', uri: 'git@h:p', vital: false } });
});

test.each([undefined, null, '', {}])('a spec that is %j is an empty one', async (spec) => {
  expect(await issues(spec)).toMatch(/^empty uri; unknown type: \. Supported types: /);
});

test('an empty id is named beside the rule that it breaks', async () => {
  expect(await issues({ type: 'git', uri: 'git@h:p' }, '')).toBe('ID is not valid; empty "ID"');
  expect(await issues({ type: 'git', uri: 'git@h:p' }, 7)).toBe('id must be text');
});

test('the region of an ECR registry comes from its uri', async () => {
  const uri = '123.dkr.ecr.eu-west-1.amazonaws.com/team';
  const { spec } = await accept({ type: 'ecr', uri, keyID: SECRET, keySecret: SECRET });
  expect(spec.region).toBe('eu-west-1');
});

test('a registry of Amazon needs no keys where an operator allows the identity of the platform', async () => {
  const context = installation({ rules: { ambientRegistries: ['123.dkr.ecr.eu-west-1.amazonaws.com'] } });
  const accepting = (spec: object) =>
    acceptConnection({ id: 'conn', spec: { type: 'cloud-registry', ...spec } }, context);
  const { spec } = await accepting({ uri: '123.dkr.ecr.eu-west-1.amazonaws.com/team' });
  expect(spec.region).toBe('eu-west-1');
  expect(await refusal(accepting({ uri: '124.dkr.ecr.eu-west-1.amazonaws.com/team' }))).toContain(
    'keyID and keySecret',
  );
});

describe('an update', () => {
  const before = { type: 'container-registry', uri: 'registry.test/a', username: 'u', password: SECRET };
  const replace = (changed: object) => {
    const context = installation({ connections: { conn: before } });
    return acceptConnection({ id: 'conn', spec: { ...before, password: '*****', ...changed } }, context, {
      replaces: true,
    });
  };

  test('keeps a secret that comes back masked', async () => {
    const { spec } = await replace({ uri: 'registry.test/b', description: 'moved' });
    expect(spec).toMatchObject({ password: SECRET, uri: 'registry.test/b', description: 'moved' });
  });

  // prettier-ignore
  const ELSEWHERE = [
    { type: 'docker' },
    { uri: 'thief.test/a' },
    { uri: 'registry.test\\@thief.test/a' },
    { uri: 'thief.test\\@registry.test/a' },
  ];
  test.each(ELSEWHERE)('wants it again when %j', async (changed) => {
    // A uri that no registry has is refused besides.
    expect(`${await refusal(replace(changed))};`).toContain(
      `${PREFIX}password must be sent again because type or uri was changed;`,
    );
  });

  test('takes a new secret and judges it', async () => {
    expect((await replace({ password: 'bmV3', uri: 'thief.test/a' })).spec.password).toBe('bmV3');
    expect(await refusal(replace({ password: '%' }))).toContain('illegal base64 data at input byte 0');
  });

  test('has nothing to keep for a mask where no secret was', async () => {
    expect(await refusal(replace({ keyID: '*****' }))).toContain('key id must be base64-encoded');
  });
});

test('a mask on create is no Base64', async () => {
  const context = installation({ connections: { conn: { type: 'git', uri: 'git@h:p', keySecret: SECRET } } });
  const body = { id: 'conn', spec: { type: 'git', uri: 'git@h:p', keySecret: '*****' } };
  expect(await refusal(acceptConnection(body, context))).toBe(
    `${PREFIX}key secret must be base64-encoded, error: illegal base64 data at input byte 0`,
  );
});

test('a local repository is allowed only under the configured folders', async () => {
  const context = installation({ rules: { localRepositories: ['/srv/git'] } });
  const accepting = (uri: string) => acceptConnection({ id: 'conn', spec: { type: 'git', uri } }, context);
  expect((await accepting('/srv/git/iris')).spec.uri).toBe('/srv/git/iris');
  expect((await accepting('file:///srv/git/iris')).spec.uri).toBe('file:///srv/git/iris');
  expect(await refusal(accepting('/srv/git/../secrets'))).toContain('must not be a local path');
  expect(await refusal(accepting('/srv/gitx'))).toContain('must not be a local path');
});

test('what is built in passes its own rules', async () => {
  const { lookups, rules } = installation();
  for (const id of ['docker-ci', 'models-output']) {
    const { spec } = (await lookups.connection(id)) ?? stored('Connection', id, {}, {});
    expect(await acceptConnection({ id, spec }, { lookups, rules })).toEqual({ id, spec });
  }
});
