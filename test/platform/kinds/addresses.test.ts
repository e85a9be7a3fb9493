import { expect, test } from 'vitest';
import { hasPassword, parseGitUri } from '../../../lifecycle/kinds/git-uri.js';
import { objectLocation } from '../../../lifecycle/kinds/object-location.js';

// prettier-ignore
const GIT = [
  ['https://github.com/org/repo.git', { form: 'https', host: 'github.com', path: '/org/repo.git' }],
  ['https://token@host:8443/x', { form: 'https', host: 'host:8443', path: '/x' }],
  ['http://host/x', { form: 'http', host: 'host', path: '/x' }],
  ['ssh://git@host:22/x', { form: 'ssh', host: 'host:22', path: '/x' }],
  ['git@github.com:org/repo', { form: 'scp', host: 'github.com', path: 'org/repo' }],
  ['host:repo', { form: 'scp', host: 'host', path: 'repo' }],
  ['/srv/git/../x', { form: 'local', host: '', path: '/srv/x' }],
  ['file:///srv/x', { form: 'local', host: '', path: '/srv/x' }],
] as const;
test.each(GIT)('%s', (uri, parsed) => {
  expect(parseGitUri(uri)).toEqual(parsed);
});

test.each([
  '',
  'repo',
  './repo',
  'ext::sh -c id',
  'ext::id',
  'git://host/x',
  'ssh://-oProxyCommand=id/x',
  'ssh://git@-oProxyCommand=id/x',
  '-oProxyCommand=id:x',
  'git@-host:x',
  'git@host:-x',
  'https://host',
  'https://host/a b',
  'git@host:a\nb',
  'fd::17/x',
])('%j is no address that we fetch from', (uri) => {
  expect(parseGitUri(uri)).toBeUndefined();
});

test.each(['https://u:p@h/x', 'u:p@host/x', 'ssh://u:p@h', 'https://u:p@ss@h/x'])('%s holds a password', (uri) => {
  expect(hasPassword(uri)).toBe(true);
});
test.each(['https://u@h/x', 'git@h:p', 'git@h:p@x', 'h:5000/x@sha', 'https://u:@h', 'gs://b/a:b@c', ''])(
  '%j holds none',
  (uri) => {
    expect(hasPassword(uri)).toBe(false);
  },
);

// prettier-ignore
const LOCATIONS = [
  [{ type: 'gcs', uri: 's3://b/p/q/' }, { provider: 'gcs', account: '', bucket: 'b', path: 'p/q' }],
  [{ type: 's3', uri: 's3://b' }, { provider: 's3', account: '', bucket: 'b', path: '' }],
  [{ type: 'azureblob', uri: 'https://account/c/p' }, { provider: 'azure', account: 'account', bucket: 'c', path: 'p' }],
  [{ type: 'object-store', uri: 'b/p' }, { provider: 'gcs', account: '', bucket: 'b', path: 'p' }],
  [{ type: 'object-store', uri: 'GS://b/p' }, { provider: 'gcs', account: '', bucket: 'b', path: 'p' }],
  [{ type: 'object-store', uri: 'az://a/c//p' }, { provider: 'azure', account: 'a', bucket: 'c', path: 'p' }],
  [{ type: 'object-store', uri: 'ftp://b' }, { provider: undefined, account: '', bucket: 'b', path: '' }],
] as const;
test.each(LOCATIONS)('%j', (spec, location) => {
  expect(objectLocation(spec)).toEqual(location);
});
