import { expect, test } from 'vitest';
import { accept, issues, PIPELINE } from '../kinds/pipelines.js';

const CRON = '0 6 * * MON';
const DATA = { ...PIPELINE.training, data: [{ connection: 'samples', localPath: 'data' }] };

test('a schedule, a count of feedback and changed data may start runs', async () => {
  const triggers = {
    schedule: { cron: CRON, timeZone: 'Europe/Paris', jitterSeconds: 86_400, catchupSeconds: 10 },
    feedback: { records: '100' },
    data: true,
  };
  expect((await accept({ triggers, training: DATA })).spec.triggers).toMatchObject({
    ...triggers,
    feedback: { records: 100 },
  });
});

// prettier-ignore
const REFUSED: readonly (readonly [object, string])[] = [
  [{ schedule: { cron: '0 0 31 2 *' } }, '"0 0 31 2 *" never comes'],
  [{ schedule: { cron: CRON, timeZone: 'Europe/Bielefeld' } }, '"Europe/Bielefeld" is no IANA time zone, such as Europe/Paris'],
  [{ schedule: { cron: CRON, jitterSeconds: -1 } }, 'jitterSeconds must be between 0 and 86400'],
  [{ schedule: { cron: CRON, jitterSeconds: 86_401 } }, 'jitterSeconds must be between 0 and 86400'],
  [{ schedule: { cron: CRON, catchupSeconds: 9 } }, 'catchupSeconds must be between 10 and 2592000'],
  [{ schedule: { cron: CRON, catchupSeconds: 2_592_001 } }, 'catchupSeconds must be between 10 and 2592000'],
  [{ schedule: { cron: 5 } }, 'spec.triggers.schedule.cron must be text'],
  [{ schedule: CRON }, 'spec.triggers.schedule must be an object'],
  [{ schedule: { timeZone: 'Europe/Paris' } }, 'the schedule has no cron, such as 0 6 * * MON'],
  [{ drift: { limit: 0.2, truth: '/label' } }, 'measure is classification-error or mean-absolute-error, not ""'],
  [{ feedback: { records: -1 } }, 'records must not be less than 0'],
  [{ feedback: { records: 'many' } }, 'spec.triggers.feedback.records must be an integer'],
  [{ data: true }, 'the training has no data whose change could start a run'],
  [{ data: 'yes' }, 'spec.triggers.data must be true or false'],
];
test.each(REFUSED)('triggers of %j are refused', async (triggers, message) => {
  expect(await issues({ triggers })).toBe(message);
});

test.each([
  [{}, true],
  [{ events: ['push'] }, true],
  [{ enabled: false, events: ['push'] }, false],
  [null, false],
  [{ enabled: null, events: null }, false],
])('a webhook of %j is enabled: %s', async (webhook, enabled) => {
  expect((await accept({ triggers: { webhook } })).spec.triggers.webhook.enabled).toBe(enabled);
});

test('addresses to notify may be of http and https', async () => {
  const notify = [{ url: 'https://hooks.example.org/a?b=c', on: ['failed', 'waiting'] }, { url: 'http://h' }];
  expect((await accept({ notify })).spec.notify).toEqual([notify[0], { url: 'http://h', on: [] }]);
});

// prettier-ignore
const UNREACHABLE: readonly (readonly [unknown, string])[] = [
  [[{}], '"" is no address to notify: an address is a URL of up to 2048 characters, without blanks'],
  [[{ url: 'ftp://example.org' }], '"ftp://example.org" is no address to notify: the address must begin with https:// or http://'],
  [[{ url: 'https://ann:secret@example.org' }], '"https://ann:secret@example.org" is no address to notify: the address may hold no user or password'],
  [[{ url: 'https://:secret@example.org' }], '"https://:secret@example.org" is no address to notify: the address may hold no user or password'],
  [[{ url: 'http://h', on: ['started'] }], 'on holds succeeded, failed, waiting, not "started"'],
  [[{ url: 'http://h', on: 'failed' }], 'spec.notify.0.on must be a list'],
  [['http://h'], 'spec.notify.0 must be an object'],
  [Array.from({ length: 11 }, () => ({ url: 'http://h' })), 'notify has at most 10 addresses'],
];
test.each(UNREACHABLE)('to notify %j is refused', async (notify, message) => {
  expect(await issues({ notify })).toBe(message);
});

test.each([
  ['http://hooks.example.org/', 'the address must begin with https://'],
  [
    'https://hooks.example.org:22/',
    'port 22 is not among 443, 8443: use one of them, or let an operator add it to SLIPWAY_WEBHOOK_PORTS',
  ],
  ['https://169.254.169.254/latest', '169.254.169.254 is a metadata address'],
])('the rules of webhooks refuse to notify %s', async (url, problem) => {
  const webhooks = { networks: [], http: false, ports: [443, 8_443] };
  expect(await issues({ notify: [{ url }] }, 'wine', { webhooks })).toBe(
    `"${url}" is no address to notify: ${problem}`,
  );
});
