import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPageTokens, openToken, queryText } from '../../../api/reference/page-token.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';
import { openDatasets } from '../../reference/stores/open-datasets.js';

const key = (): string => randomBytes(32).toString('base64');
const HOUR_MS = 3_600_000;

async function open() {
  const scene = await openDatasets();
  await scene.declare('words', { name: { type: 'text' } });
  for (const id of [1, 2, 3]) await scene.put('words', id, { name: 'a' });
  const { dataset } = scene.datasets.get('words');
  const clock = { ms: Date.parse('2026-01-01T00:00:00.000Z') };
  const box = createSecretBox({ key: key() });
  const tokens = createPageTokens({ box, now: () => clock.ms });
  const position = { query: 'q', version: dataset.replica.visible, generation: 1, after: 2n ** 63n - 1n };
  const asked = { query: 'q', dataset, generation: 1 };
  return { ...scene, dataset, clock, box, tokens, position, asked };
}

test('a token opens to the position that was sealed, with every digit of its id', async () => {
  const { tokens, position, asked } = await open();
  const token = tokens.seal(position);
  expect(await tokens.open(token, asked)).toMatchObject(position);
  expect(tokens.versionOf(token)).toBe(position.version);
  // Nothing of it can be read, and no two are alike.
  expect(token).not.toContain('9223372036854775807');
  expect(tokens.seal(position)).not.toBe(token);
});

test('a token that was changed anywhere is malformed, and so is one of another key', async () => {
  const { tokens, position, asked } = await open();
  const token = tokens.seal(position);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom('A', 'z', '0', '_', '.', ' ', 'é'), (at, char) => {
      const changed = token.slice(0, at) + char + token.slice(at + 1);
      // The last character may hold bits that are not used.
      if (
        Buffer.from(changed.split('.')[2] ?? '', 'base64url').equals(
          Buffer.from(token.split('.')[2] ?? '', 'base64url'),
        )
      )
        return;
      expect(() => tokens.versionOf(changed)).toThrow(/next_page_token/);
    }),
  );
  const foreign = createPageTokens({ box: createSecretBox({ key: key() }) }).seal(position);
  await expect(tokens.open(foreign, asked)).rejects.toMatchObject({ code: 'page.token_malformed' });
});

test.each(['', 'x', 'v1.', 'v1.00000000.AAAA', '../../etc/passwd', '\0', '🍷'.repeat(50), 'x'.repeat(5_000)])(
  'the text %j is no token, and the answer shows no more than its beginning',
  async (text) => {
    const { tokens } = await open();
    const thrown = expect.objectContaining({ code: 'page.token_malformed' });
    expect(() => tokens.versionOf(text)).toThrow(thrown);
    try {
      tokens.versionOf(text);
    } catch (err) {
      expect((err as Error).message.length).toBeLessThan(300);
    }
  },
);

test.each([
  ['no JSON', 'x'],
  ['another form', '{}'],
  ['too few parts', '["q",1,1,"1"]'],
  ['a version that is none', '["q",1.5,1,"1",1]'],
])('what was sealed for another purpose is malformed: %s', async (_, text) => {
  const { tokens, box } = await open();
  expect(() => tokens.versionOf(box.seal(text, 'token/page'))).toThrow(/is invalid/);
});

test('a token belongs to its request, its declaration and its hour', async () => {
  const { tokens, position, asked, clock } = await open();
  const token = tokens.seal(position);
  const codeOf = async (more: object) =>
    tokens.open(token, { ...asked, ...more }).then(
      () => 'opened',
      (err: { code: string }) => err.code,
    );
  expect(await codeOf({})).toBe('opened');
  expect(await codeOf({ query: 'other' })).toBe('page.token_mismatch');
  expect(await codeOf({ generation: 2 })).toBe('page.token_expired');
  clock.ms += HOUR_MS;
  expect(await codeOf({})).toBe('opened');
  clock.ms += 1;
  expect(await codeOf({})).toBe('page.token_expired');
});

test('a walk whose version is not kept any more has to start again', async () => {
  const { tokens, position, asked, dataset, put } = await open();
  const token = tokens.seal(position);
  await put('words', 4, { name: 'b' });
  await put('words', 5, { name: 'b' });
  dataset.replica.forget({ time: '9999-01-01T00:00:00.000Z', versions: 1 });
  await expect(tokens.open(token, asked)).rejects.toMatchObject({ code: 'page.token_expired' });
});

test('a version that this process has not read yet is waited for, and refused when it does not come', async () => {
  const { tokens, position, asked, put } = await open();
  const ahead = tokens.seal({ ...position, version: position.version + 1 });
  const opening = tokens.open(ahead, asked);
  await put('words', 9, { name: 'x' });
  expect(await opening).toMatchObject({ version: position.version + 1 });
  const never = tokens.seal({ ...position, version: 10 ** 9 });
  await expect(tokens.open(never, asked)).rejects.toMatchObject({ code: 'version.unknown' });
});

test('two walks have the same digest exactly when every part is the same', () => {
  const text = fc.string({ maxLength: 6 });
  const maybe = fc.option(text, { nil: undefined });
  const walk = fc.record({ dataset: text, filter: maybe, order: text, asOf: maybe });
  fc.assert(
    fc.property(walk, walk, (one, other) => {
      const norm = ({ dataset, filter, order, asOf = '' }: typeof one) =>
        JSON.stringify([dataset, filter ?? null, order, asOf]);
      expect(queryText(one) === queryText(other)).toBe(norm(one) === norm(other));
    }),
    { numRuns: 500 },
  );
});

test('what a reader of tokens throws is the fault of the token', () => {
  const box = createSecretBox({ key: key() });
  const failing = () => {
    throw new TypeError('a position that is none');
  };
  expect(() => openToken({ box, place: 'p', token: box.seal('x', 'p') }, failing)).toThrow(
    expect.objectContaining({ code: 'page.token_malformed' }),
  );
  expect(openToken({ box, place: 'p', token: box.seal('x', 'p') }, (text) => `${text}y`)).toBe('xy');
});
