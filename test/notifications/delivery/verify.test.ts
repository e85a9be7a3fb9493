import { expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { signWebhook } from '../../../notifications/delivery/sign.js';
import {
  createEd25519Pair,
  createHmacSecret,
  parseSigningKey,
  parseVerifyingKey,
} from '../../../notifications/delivery/signing-keys.js';
import { type Verification, verifyWebhook } from '../../../notifications/delivery/verify.js';

const NOW = 1_770_000_000;
const BODY = '{"type":"ops.probe","text":"Zürich"}';
const secret = createHmacSecret();
const pair = createEd25519Pair();
const keys = [parseVerifyingKey(secret)];

const signed = (texts: string[] = [secret], timestamp = NOW) =>
  signWebhook({ id: 'ntc_1', timestamp, body: BODY, keys: texts.map(parseSigningKey) });
const judge = (headers: object, more: Partial<Verification> = {}) =>
  verifyWebhook({ headers: { ...headers }, body: BODY, keys, now: () => NOW * 1_000, ...more });
const withSignature = (text: string) => ({ ...signed(), 'webhook-signature': text });
const [good = ''] = signed()['webhook-signature'].split(' ');
const accepted = { ok: true, id: 'ntc_1', timestamp: NOW };

test('standardwebhooks signs, we verify, however the headers are spelled and held', () => {
  const at = new Date(NOW * 1_000 + 999);
  const text = {
    'Webhook-Id': 'msg_1',
    'Webhook-Timestamp': String(NOW),
    'Webhook-Signature': new Webhook(secret).sign('msg_1', at, BODY),
  };
  for (const headers of [text, new Headers(text), Object.fromEntries(new Headers(text))]) {
    for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY)]) {
      expect(verifyWebhook({ headers, body, keys, now: () => NOW * 1_000 })).toEqual({ ...accepted, id: 'msg_1' });
    }
  }
});

test('an empty body has a signature too', () => {
  const headers = { ...signWebhook({ id: 'ntc_1', timestamp: NOW, body: '', keys: [parseSigningKey(secret)] }) };
  expect(judge(headers, { body: '' })).toEqual(accepted);
  expect(judge(headers)).toMatchObject({ code: 'signature.mismatch' });
});

test('one key of several is enough on either side, of either kind', () => {
  const old = createHmacSecret();
  expect(judge(signed([createHmacSecret(), secret]))).toEqual(accepted);
  expect(judge(signed(), { keys: [parseVerifyingKey(old), ...keys] })).toEqual(accepted);
  const open = parseVerifyingKey(pair.publicText);
  expect(judge(signed([pair.privateText]), { keys: [open] })).toEqual(accepted);
  expect(judge(signed([secret, pair.privateText]), { keys: [open] })).toEqual(accepted);
  expect(judge(signed([createEd25519Pair().privateText]), { keys: [open] })).toMatchObject({
    code: 'signature.mismatch',
  });
});

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('%s is required, once', (name) => {
  const headers: Record<string, string> = { ...signed() };
  const value = headers[name] ?? '';
  const { [name]: _, ...rest } = headers;
  expect(judge(rest)).toMatchObject({ ok: false, code: 'header.missing' });
  expect(judge({ ...headers, [name]: undefined })).toMatchObject({ code: 'header.missing' });
  expect(judge({ ...headers, [name]: [value, value] })).toMatchObject({ code: 'header.repeated' });
  expect(judge({ ...headers, [name.toUpperCase()]: value })).toMatchObject({ code: 'header.repeated' });
});

test.each(['webhook-id', 'webhook-timestamp'])('%s twice, which fetch joins, is no header', (name) => {
  const headers = new Headers({ ...signed() });
  headers.append(name, headers.get(name) ?? '');
  expect(judge({}, { headers })).toMatchObject({ ok: false, code: expect.stringMatching('malformed') });
});

test('five minutes either way are accepted, a second more is not', () => {
  const at = (timestamp: number) => judge(signed([secret], timestamp));
  expect([at(NOW - 300), at(NOW + 300)]).toMatchObject([{ ok: true }, { ok: true }]);
  expect(at(NOW - 301)).toMatchObject({ code: 'timestamp.too_old' });
  expect(at(NOW + 301)).toMatchObject({ code: 'timestamp.too_new' });
  expect(judge(signed([secret], NOW - 9), { toleranceSeconds: 8 })).toMatchObject({ code: 'timestamp.too_old' });
});

test.each([
  'soon',
  '1770000000.0',
  '-1770000000',
  '+1770000000',
  '01770000000',
  ' 1770000000',
  '1e9',
  '0x6980',
  '9'.repeat(13),
])('the time %j is none', (time) => {
  const headers = { ...signed(), 'webhook-timestamp': time };
  expect(judge(headers)).toMatchObject({ ok: false, code: 'timestamp.malformed' });
});

test('a time of another spelling is refused although the oracle reads it', () => {
  const now = Math.floor(Date.now() / 1_000);
  const headers = { ...signed([secret], now), 'webhook-timestamp': `${now}.9` };
  expect(() => new Webhook(secret).verify(BODY, headers)).not.toThrow();
  expect(judge(headers, { now: Date.now })).toMatchObject({ code: 'timestamp.malformed' });
});

test.each(['', 'a b', 'a\n', 'ü', 'x'.repeat(256)])('the id %j is none', (id) => {
  const code = id === '' ? 'header.missing' : 'id.malformed';
  expect(judge({ ...signed(), 'webhook-id': id })).toMatchObject({ code });
});

test.each([
  ['empty', '', 'signature.malformed'],
  ['a word', 'v1', 'signature.malformed'],
  ['a version without signature', 'v1,', 'signature.malformed'],
  ['cut', good.slice(0, -2), 'signature.malformed'],
  ['without padding', good.slice(0, -1), 'signature.malformed'],
  ['longer', `${good}AAAA`, 'signature.malformed'],
  ['joined by a comma and a space', `${good}, ${good.slice(0, 9)}`, 'signature.malformed'],
  ['of another version', good.replace('v1', 'v2'), 'signature.unsupported'],
  ['asymmetric where there is no such key', signed([pair.privateText])['webhook-signature'], 'signature.unsupported'],
  ['of another key', signed([createHmacSecret()])['webhook-signature'], 'signature.mismatch'],
  ['one of too many', Array.from({ length: 21 }, () => good).join(' '), 'signature.too_many'],
])('a signature that is %s is refused', (_, text, code) => {
  expect(judge(withSignature(text))).toMatchObject({ ok: false, code });
});

test('unknown words before a good signature change nothing', () => {
  const text = `v2,abc v1,cut v1a,AAAA  garbage ,${good} ${good}`;
  expect(judge(withSignature(text))).toEqual(accepted);
});

test('another spelling of the same signature bytes is refused', () => {
  // The last letter before the padding holds two bits that Base64 does not use.
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const respell = (text: string, padding: number) => {
    const at = text.length - padding - 1;
    const letter = letters[letters.indexOf(text[at] ?? '') + 1];
    return `${text.slice(0, at)}${letter}${text.slice(at + 1)}`;
  };
  expect(judge(withSignature(respell(good, 1)))).toMatchObject({ code: 'signature.mismatch' });
  const open = [parseVerifyingKey(pair.publicText)];
  const asymmetric = signed([pair.privateText])['webhook-signature'];
  expect(judge(withSignature(respell(asymmetric, 2)), { keys: open })).toMatchObject({ code: 'signature.mismatch' });
});

test('a change of id, time, or one byte of the body is found', () => {
  const mismatch = { ok: false, code: 'signature.mismatch' };
  expect(judge({ ...signed(), 'webhook-id': 'ntc_2' })).toMatchObject(mismatch);
  expect(judge({ ...signed(), 'webhook-timestamp': String(NOW + 1) })).toMatchObject(mismatch);
  for (const body of [`${BODY} `, BODY.replace('Z', 'z'), Buffer.from(BODY, 'latin1')]) {
    expect(judge(signed(), { body })).toMatchObject(mismatch);
  }
});

test('the body is judged as bytes, also where they are no text', () => {
  const body = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
  const headers = signWebhook({ id: 'ntc_1', timestamp: NOW, body, keys: [parseSigningKey(secret)] });
  expect(judge(headers, { body })).toEqual(accepted);
  expect(judge(headers, { body: Buffer.from([0xff, 0xfd, 0x00, 0x80]) })).toMatchObject({ ok: false });
});
