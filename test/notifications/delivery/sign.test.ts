import { sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import {
  createEd25519Pair,
  createHmacSecret,
  parseSigningKey,
  parseVerifyingKey,
  publicTextOf,
} from '../../../notifications/delivery/signing-keys.js';
import { signWebhook } from '../../../notifications/delivery/sign.js';

const now = () => Math.floor(Date.now() / 1_000);
const asRecord = (headers: object) => ({ ...headers }) as Record<string, string>;

test('the example of the Standard Webhooks libraries is signed the same', () => {
  const key = parseSigningKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  expect(signWebhook({ id, timestamp: 1_614_265_330, body: '{"test": 2432232314}', keys: [key] })).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test.each([
  ['text', '{"name":"Zürich \u2028 😀"}'],
  ['bytes', Buffer.from('{"id":"9007199254740993"}')],
  ['an empty body', ''],
])('standardwebhooks verifies what we sign: %s', (_, body) => {
  const secret = createHmacSecret();
  const headers = signWebhook({ id: 'ntc_1', timestamp: now(), body, keys: [parseSigningKey(secret)] });
  const expected = body.length > 0 ? JSON.parse(body.toString()) : undefined;
  expect(new Webhook(secret).verify(body, asRecord(headers))).toEqual(expected);
});

test('every key signs, in the order that was given, and standardwebhooks finds its own among them', () => {
  const secrets = [createHmacSecret(), createEd25519Pair().privateText, createHmacSecret()];
  const headers = signWebhook({ id: 'ntc_1', timestamp: now(), body: '{}', keys: secrets.map(parseSigningKey) });
  const versions = headers['webhook-signature'].split(' ').map((token) => token.split(',')[0]);
  expect(versions).toEqual(['v1', 'v1a', 'v1']);
  for (const secret of [secrets[0], secrets[2]]) {
    expect(() => new Webhook(secret ?? '').verify('{}', asRecord(headers))).not.toThrow();
  }
  expect(() => new Webhook(createHmacSecret()).verify('{}', asRecord(headers))).toThrow('No matching');
});

test('what v1a signs is id.timestamp.body, by the public half alone', () => {
  const { privateText } = createEd25519Pair();
  const headers = signWebhook({ id: 'ntc_1', timestamp: 7, body: 'x', keys: [parseSigningKey(privateText)] });
  const key = parseVerifyingKey(publicTextOf(privateText));
  if (key.kind !== 'ed25519') throw new Error('another kind of key');
  const signature = Buffer.from(headers['webhook-signature'].slice('v1a,'.length), 'base64');
  expect(verifyBytes(null, Buffer.from('ntc_1.7.x'), key.publicKey, signature)).toBe(true);
  expect(verifyBytes(null, Buffer.from('ntc_1.7.y'), key.publicKey, signature)).toBe(false);
});

// RFC 8032, section 7.1: tests 1, 2 and 3.
test.each([
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    open: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    open: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    open: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
])('our key forms hold the keys of RFC 8032: message "$message"', ({ seed, open, message, signature }) => {
  const toText = (prefix: string, hex: string) => prefix + Buffer.from(hex, 'hex').toString('base64');
  const key = parseSigningKey(toText('whsk_', seed));
  if (key.kind !== 'ed25519') throw new Error('another kind of key');
  expect(signBytes(null, Buffer.from(message, 'hex'), key.privateKey).toString('hex')).toBe(signature);
  expect(publicTextOf(toText('whsk_', seed))).toBe(toText('whpk_', open));
});

const key = parseSigningKey(createHmacSecret());
test.each([
  ['an id with a dot', { id: 'a.b' }],
  ['an id with a line break', { id: 'a\nb' }],
  ['an empty id', { id: '' }],
  ['half a second', { timestamp: 1.5 }],
  ['a time before 1970', { timestamp: -1 }],
  ['milliseconds of the far future', { timestamp: 1e15 }],
  ['no key', { keys: [] }],
  ['six keys', { keys: [key, key, key, key, key, key] }],
])('%s is a bug of the caller', (_, change) => {
  expect(() => signWebhook({ id: 'ntc_1', timestamp: 1, body: '', keys: [key], ...change })).toThrow(RangeError);
});
