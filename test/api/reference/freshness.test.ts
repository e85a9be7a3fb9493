import { expect, test } from 'vitest';
import {
  awaitMinVersions,
  freshnessOf,
  minVersionOf,
  setFreshness,
  versionAsked,
} from '../../../api/reference/freshness.js';
import { openDatasets } from '../../reference/stores/open-datasets.js';

async function open() {
  const scene = await openDatasets();
  for (const name of ['words', 'places']) await scene.declare(name, { name: { type: 'text' } });
  for (const id of [1, 2, 3]) await scene.put('words', id, { name: 'a' });
  const [words, places] = ['words', 'places'].map((name) => scene.datasets.get(name).dataset);
  if (words === undefined || places === undefined) throw new Error('both were declared');
  return { ...scene, words, places };
}
const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (err: { code: string }) => err.code,
  );

test('a read says which version it shows, of when it is, and how far it may lag', async () => {
  const { words } = await open();
  const headers: Record<string, string> = {};
  setFreshness({ set: (name: string, value: string) => void (headers[name] = value) } as never, words);
  expect(headers).toEqual({
    'slipway-version': String(words.replica.visible),
    'slipway-as-of': words.replica.newestAt,
    'slipway-lag-ms': expect.stringMatching(/^\d+$/),
  });
  expect(Date.parse(headers['slipway-as-of'] ?? '')).not.toBeNaN();
});

test('a pinned dataset shows the version and the time of its pin', async () => {
  const { words } = await open();
  const before = words.replica.visible - 1;
  const asOf = '2026-01-01T00:00:00.000Z';
  await words.follower.append(() => ({ kind: 'pin', version: before, asOf, reason: 'a bad import', actor: 'ana' }));
  const pairs = freshnessOf(words);
  const valueOf = (name: string) => pairs[pairs.indexOf(name) + 1];
  expect([valueOf('slipway-version'), valueOf('slipway-pinned')]).toEqual([String(before), String(before)]);
  expect(valueOf('slipway-as-of')).toBe(asOf);
});

test('without a version asked, a read shows what is visible; with one, exactly that', async () => {
  const { words } = await open();
  expect(await versionAsked(words, undefined)).toBe(words.replica.visible);
  for (let version = 1; version <= words.replica.visible; version += 1) {
    expect(await versionAsked(words, String(version))).toBe(version);
  }
});

test.each(['0', '-1', '1.0', '1e2', ' 1', '٣', '', 'latest', '9'.repeat(16)])(
  'the version %j is refused',
  async (text) => {
    const { words } = await open();
    expect(await codeOf(versionAsked(words, text))).toBe('parameter.invalid');
    await expect(versionAsked(words, text, 'from')).rejects.toMatchObject({ members: { parameter: 'from' } });
  },
);

test('a version that is not kept is gone, one that is to come is not there yet', async () => {
  const { words, put } = await open();
  await put('words', 1, { name: 'b' });
  words.replica.forget({ time: '9999-01-01T00:00:00.000Z', versions: 1 });
  const { keptFrom } = words.replica;
  expect(keptFrom).toBeGreaterThan(1);
  expect(await codeOf(versionAsked(words, String(keptFrom - 1)))).toBe('version.not_retained');
  expect(await codeOf(versionAsked(words, String(keptFrom)))).toBe('answered');
  expect(await codeOf(versionAsked(words, '999999999'))).toBe('version.unknown');
});

test('a version that is written meanwhile is waited for', async () => {
  const { words, put } = await open();
  const next = words.replica.position + 1;
  const asked = versionAsked(words, String(next));
  await put('words', 4, { name: 'b' });
  expect(await asked).toBe(next);
});

test('a number alone waits for the one dataset that is read, names wait for each', async () => {
  const { words, places } = await open();
  const wait = (header: string, first = [words], known = [words, places]) =>
    codeOf(awaitMinVersions(header, { first, known }));
  const [here, there] = [words, places].map(({ replica }) => replica.position);
  expect(await wait(`${here}`)).toBe('answered');
  expect(await wait(`words=${here}, places=${there}`)).toBe('answered');
  expect(await wait('words=0')).toBe('answered');
  expect(await wait(`${here}`, [])).toBe('answered'); // nothing is read
  expect(await wait(`words=${here},places=999999999`)).toBe('version.unknown');
});

test.each([
  ['a number that is none', 'x'],
  ['an empty header', ''],
  ['an unknown dataset', 'secrets=1'],
  ['a name without a number', 'words='],
  ['a name and a number alone', '1,words=1'],
  ['a negative number', 'words=-1'],
  ['a name of a member of every object', '__proto__=1'],
])('%s is refused', async (_, header) => {
  const { words, places } = await open();
  expect(await codeOf(awaitMinVersions(header, { first: [words], known: [words, places] }))).toBe('parameter.invalid');
});

test('a number alone is ambiguous where several datasets are read, and the answer says how to write it', async () => {
  const { words, places } = await open();
  const asked = awaitMinVersions('1', { first: [words, places], known: [words, places] });
  await expect(asked).rejects.toMatchObject({
    ...{ code: 'parameter.invalid', message: expect.stringContaining('words=903,places=903') },
  });
});

test('a dataset that the caller may not read is named as one that is not there', async () => {
  const { words } = await open();
  const refusal = (name: string) =>
    awaitMinVersions(`${name}=1`, { first: [words], known: [words] }).catch((err: Error) => err.message);
  const [hidden, absent] = [await refusal('places'), await refusal('nothing')];
  expect(String(hidden).replace('places', 'x')).toBe(String(absent).replace('nothing', 'x'));
});

test('the header is read as it was sent', () => {
  expect(minVersionOf({ headers: { 'slipway-min-version': '7' } })).toBe('7');
  expect(minVersionOf({ headers: {} })).toBeUndefined();
});
