import { expect, test } from 'vitest';
import { parseNetwork } from '../../../platform/kinds/network-addresses.js';
import type { WebhookPolicy } from '../../../platform/kinds/webhook-url.js';
import { requireWebhookAddresses, type WebhookAddresses } from '../../../notifications/kinds/webhook-address.js';

const strict: WebhookPolicy = { networks: [], http: false, ports: [443, 8443] };
const NAMES: Record<string, string[]> = {
  'hr.example': ['93.184.215.14'],
  'inside.example': ['10.0.0.7'],
  'both.example': ['93.184.215.14', '2606:2800:21f::1', '::1'],
  'nowhere.example': [],
};
const resolve = async (host: string) => NAMES[host] ?? Promise.reject(new Error(`no answer for ${host}`));
const judge = (given: string | WebhookAddresses, policy: Partial<WebhookPolicy> = {}) =>
  requireWebhookAddresses(typeof given === 'string' ? { url: given } : given, {
    policy: { ...strict, ...policy },
    resolve,
  });
const refusal = (code: string, pointer = '/url') => ({
  ...{ code: 'url.not_allowed', status: 422, expose: true },
  problems: [{ code, pointer, message: expect.any(String) }],
});

test.each([
  'https://hr.example/hooks/slipway',
  'https://hr.example:8443/hooks?tenant=7',
  'https://HR.example:443',
  'https://93.184.215.14/',
  'https://[2606:2800:21f::1]/',
  'https://nowhere.example/',
  'https://unanswered.example/',
])('%s may be registered', async (url) => {
  await expect(judge(url)).resolves.toBeUndefined();
});

test.each([
  ...[
    '',
    'hr.example',
    '/hooks',
    'https://',
    'https://hr .example/',
    ' https://hr.example/',
    'https://hr.example/a\tb',
  ],
  ...['https:\\\\hr.example/', 'https://hr.example/\n', 'https://[::1', 'https://1.2.3.4.5/', 'https://256.0.0.1/'],
  ...['https://[fe80::1%25eth0]/', `https://hr.example/${'x'.repeat(2_048)}`],
])('%j is no address', async (url) => {
  await expect(judge(url)).rejects.toMatchObject({
    ...{ code: 'url.malformed', status: 400 },
    problems: [{ code: 'url.malformed', pointer: '/url' }],
  });
});

test.each([
  ['url.scheme', 'http://hr.example/'],
  ['url.scheme', 'ftp://hr.example/'],
  ['url.scheme', 'file:///etc/passwd'],
  ['url.userinfo', 'https://ann@hr.example/'],
  ['url.userinfo', 'https://:secret@hr.example/'],
  ['url.fragment', 'https://hr.example/#'],
  ['url.fragment', 'https://hr.example/#part'],
  ['url.port', 'https://hr.example:80/'],
  ['url.port', 'https://hr.example:6379/'],
  ['url.private_address', 'https://inside.example/'],
  ['url.private_address', 'https://both.example/'],
])('%s: %s', async (code, url) => {
  await expect(judge(url)).rejects.toMatchObject(refusal(code));
});

// Spellings of 127.0.0.1, 10.0.0.7 and the metadata address of a cloud.
test.each([
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '017700000001', '0x7f000001', '0x7f.1', '0177.0.0.1'],
  ...['127.0.0.1.', '127.0.0.1', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1', '0', '0.0.0.0'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:1]'],
  ...['[::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::169.254.169.254]', '[64:ff9b:1::a00:7]', '[2002:7f00:1::]'],
  ...['[2002:a9fe:a9fe::1]', '[2001:0:a00:7::1]', '[fe80::1]', '[fd00:ec2::254]', '[FEC0::1]', '[ff02::1]'],
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '10.7', '192.168.1.1', '100.64.0.1'],
])('https://%s/ is not public in this notation either', async (host) => {
  await expect(judge(`https://${host}/`)).rejects.toMatchObject(refusal('url.private_address'));
});

test('the refusal says what the name leads to', async () => {
  await expect(judge('https://inside.example/')).rejects.toThrow(
    'inside.example resolves to 10.0.0.7, a private address',
  );
  await expect(judge('https://[::1]/')).rejects.toThrow('::1 is a loopback address');
});

test('the installation opens http, ports and ranges, each for itself', async () => {
  await judge('http://hr.example/', { http: true });
  await judge('http://hr.example:8443/', { http: true });
  await expect(judge('http://hr.example:8080/', { http: true })).rejects.toMatchObject(refusal('url.port'));
  await judge('https://hr.example:9999/', { ports: 'any' });
  const networks = [parseNetwork('10.0.0.0/8')].flatMap((network) => network ?? []);
  await judge('https://inside.example/', { networks });
  await judge('https://[::ffff:10.0.0.7]/', { networks });
  await expect(judge('https://127.0.0.1/', { networks })).rejects.toMatchObject(refusal('url.private_address'));
});

test('receipts are asked for where notices are sent', async () => {
  const url = 'https://hr.example/hooks';
  await judge({ url, receipt_url: 'https://hr.example:443/hooks/receipts' });
  const refused = [
    ['url.origin', 'https://other.example/receipts'],
    ['url.origin', 'https://hr.example:8443/receipts'],
    ['url.query', 'https://hr.example/receipts?id='],
    ['url.fragment', 'https://hr.example/receipts#'],
    ['url.scheme', 'http://hr.example/receipts'],
  ] as const;
  for (const [code, receipt_url] of refused) {
    await expect(judge({ url, receipt_url })).rejects.toMatchObject(refusal(code, '/receipt_url'));
  }
  await expect(judge({ url, receipt_url: 'receipts' })).rejects.toMatchObject({ code: 'url.malformed' });
});
