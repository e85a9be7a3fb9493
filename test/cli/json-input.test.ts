import { join } from 'node:path';
import { Readable } from 'node:stream';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readJson } from '../../cli/json-input.js';
import { compilePath } from '../../cli/output/jsonpath.js';
import { SlipwayError } from '../../platform/kinds/errors.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-json-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const stdinOf = (...chunks: (string | Buffer)[]) => ({ stdin: Readable.from(chunks) as NodeJS.ReadStream });
const none = stdinOf();
async function fileOf(text: string): Promise<string> {
  const path = join(folder, 'body.json');
  await writeFile(path, text);
  return path;
}
async function codeOf(reading: Promise<unknown>): Promise<unknown> {
  try {
    return await reading;
  } catch (err) {
    if (!(err instanceof SlipwayError)) throw err;
    return err.code;
  }
}

// A number that was parsed and written again would lose its last digits.
const EXACT = '{ "id": 9007199254740993, "rate": 1.10,  "text": "é😀" }';

test('JSON is sent as it was written, from an argument, a file and standard input', async () => {
  expect(await readJson(none, { data: EXACT })).toBe(EXACT);
  expect(await readJson(none, { filename: await fileOf(EXACT) })).toBe(EXACT);
  expect(await readJson(stdinOf(EXACT), { filename: '-' })).toBe(EXACT);
});

test('characters that arrive in two parts are one character', async () => {
  const bytes = Buffer.from(EXACT);
  const cut = bytes.indexOf(Buffer.from('😀')) + 2;
  expect(await readJson(stdinOf(bytes.subarray(0, cut), bytes.subarray(cut)), { filename: '-' })).toBe(EXACT);
});

test('without an input nothing is sent, and standard input is not waited for', async () => {
  const silent = { stdin: new Readable({ read: () => undefined }) as NodeJS.ReadStream };
  expect(await readJson(silent, {})).toBeUndefined();
});

test.each(['', ' ', '{', '{"a":1,}', "{'a':1}", 'undefined', '{"a":1}{"b":2}', '\uFEFF{}', 'NaN'])(
  '%j is refused before anything is sent',
  async (text) => {
    expect(await codeOf(readJson(none, { data: text }))).toBe('validation_failed');
    expect(await codeOf(readJson(stdinOf(text), { filename: '-' }))).toBe('validation_failed');
    expect(await codeOf(readJson(none, { filename: await fileOf(text) }))).toBe('validation_failed');
  },
);

test('a file that is not there or is a folder is an error of the input', async () => {
  for (const filename of [join(folder, 'absent.json'), folder]) {
    expect(await codeOf(readJson(none, { filename }))).toBe('validation_failed');
  }
});

const ENTITIES = [
  { id: 'a', status: { state: 'failed', code: 1 }, labels: { 'with space': 'x', length: 3 } },
  { id: 'b', status: { state: 'succeeded' } },
];

// prettier-ignore
test.each<[string, boolean, string]>([
  ['.status.state',                     false, 'failed'],
  ['{.status.state}',                   false, 'failed'],
  [' { .status.state } ',               false, 'failed'],
  ['status.code',                       false, '1'],
  ['$.id',                              false, 'a'],
  ['.status',                           false, '{"state":"failed","code":1}'],
  ['.labels["with space"]',             false, 'x'],
  ['.labels.length',                    false, '3'],
  ['.absent.deeper',                    false, ''],
  ['[0].id',                            false, 'a'],
  ['[*].id',                            true,  'a\nb'],
  ['$[1].id',                           true,  'b'],
  ['$[?@.status.state == "failed"].id', true,  'a'],
  ['$..state',                          true,  'failed\nsucceeded'],
  ['[7].id',                            true,  ''],
])('the path %s (of a list: %s) finds %j', (path, isList, expected) => {
  expect(compilePath(path)(ENTITIES, isList)).toBe(expected);
});

test.each(['{.id', '.id[', '$[?', '..', '.a b', '$.id.', '{{.id}}'])('%s is no path', (path) => {
  expect(() => compilePath(path)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});

test('a path does not reach what JSON does not have', () => {
  for (const path of ['.constructor', '.__proto__', '.id.length', '.toString']) {
    expect([path, compilePath(path)(ENTITIES, false)]).toEqual([path, '']);
  }
});
