import { expect, test } from 'vitest';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { outsideFailed, outsideReason, transientFault } from '../../../platform/kinds/outside-failure.js';

// As git 2.39, OpenSSH 9.2, Podman 4.3 and Docker print them.
test.each([
  [
    "fatal: unable to access 'http://127.0.0.1:1/a/': Failed to connect to 127.0.0.1 port 1: Couldn't connect to server",
    /reached/,
  ],
  ["fatal: unable to access 'https://git.invalid/': Could not resolve host: git.invalid", /resolved/],
  ['ssh: Could not resolve hostname git.invalid: Temporary failure in name resolution', /resolved/],
  ['ssh: connect to host 10.0.0.1 port 22: No route to host', /reached/],
  ['ssh: connect to host 127.0.0.1 port 22: Connection refused', /reached/],
  ['kex_exchange_identification: Connection closed by remote host', /broke off/],
  ['fatal: unable to access: Operation too slow. Less than 1 bytes/sec transferred the last 60 seconds', /in time/],
  ['fatal: unable to access: Empty reply from server', /broke off/],
  ['fatal: unable to access: The requested URL returned error: 429', /fewer requests/],
  ['fatal: unable to access: The requested URL returned error: 503', /failure of its own/],
  ['fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF', /broke off/],
  [
    'pinging container registry 127.0.0.1:1: Get "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused',
    /reached/,
  ],
  [
    'pinging container registry r.invalid: Get "https://r.invalid/v2/": dial tcp: lookup r.invalid: no such host',
    /resolved/,
  ],
  ['net/http: request canceled (Client.Timeout exceeded while awaiting headers)', /in time/],
  ['received unexpected HTTP status: 503 Service Unavailable', /failure of its own/],
  ['toomanyrequests: You have reached your pull rate limit', /fewer requests/],
  ['Patch "http://127.0.0.1:1/v2/a/blobs/uploads/": EOF', /broke off/],
])('%s: a repeat may succeed', (said, fault) => {
  expect(transientFault(said)).toMatch(fault);
});

test.each([
  'fatal: Authentication failed for https://git.example/',
  'fatal: unable to access: The requested URL returned error: 403',
  'fatal: repository https://git.example/a.git/ not found',
  'git@git.example: Permission denied (publickey).',
  'Host key verification failed.',
  'unauthorized: authentication required',
  'manifest unknown: manifest unknown',
  'name unknown: repository a/b:500 is not known',
  'denied: requested access to the resource is denied',
  'the file geofence.py is missing',
])('%s: a repeat finds the same', (said) => {
  expect(transientFault(said)).toBeUndefined();
});

test('who may read it learns of the party and what is wrong, but not its address', () => {
  const said = 'dial tcp 10.1.2.3:5000: connect: connection refused';
  const err = outsideFailed({ party: 'the registry', said, fault: 'it cannot be reached', reason: 'PushFailed' });
  expect(err).toMatchObject({ code: 'unavailable', retryable: true, message: said });
  expect(err.publicMessage).toBe('the registry cannot be used for now: it cannot be reached');
  expect(outsideReason(err)).toBe('PushFailed');
});

test.each([new SlipwayError('unavailable', 'the database is away'), new Error('no'), undefined])(
  'another error has no such reason: %s',
  (err) => expect(outsideReason(err)).toBeUndefined(),
);
