import { expect, test } from 'vitest';
import {
  counterOf,
  hourPath,
  modelFolder,
  parseTime,
  recordRoot,
  timeText,
  versionFolder,
} from '../../../lifecycle/stores/record-path.js';

test.each([
  ['', ''],
  ['records', 'records/'],
  ['/records/all/', 'records/all/'],
])('the prefix %j begins each key as %j', (prefix, expected) => {
  expect(recordRoot(prefix)).toBe(expected);
});

test.each([
  ['wine', '3', 'feedback/wine/3'],
  ['a/b', '../..', 'feedback/a%2Fb/..%2F..'],
  ['..', '.', 'feedback/%2E%2E/%2E'],
  ['größe 🍷', '1.0', 'feedback/gr%C3%B6%C3%9Fe%20%F0%9F%8D%B7/1.0'],
  ['year=2026', '%2F', 'feedback/year%3D2026/%252F'],
])('the model %s in version %s is one folder each, whatever it is called', (name, version, expected) => {
  expect(versionFolder('feedback', name, version)).toBe(expected);
  expect(versionFolder('feedback', name, version).startsWith(`${modelFolder('feedback', name)}/`)).toBe(true);
  expect(expected.split('/')).toHaveLength(3);
});

test('long names are cut and stay different', () => {
  const folders = ['x'.repeat(500), `${'x'.repeat(499)}y`, '🍷'.repeat(100)].map((name) =>
    modelFolder('feedback', name).slice('feedback/'.length),
  );
  expect(new Set(folders).size).toBe(3);
  for (const folder of folders) {
    expect(folder.length).toBeLessThanOrEqual(200);
    expect(folder).not.toMatch(/%[0-9A-F]?(?![0-9A-F])/);
  }
  expect(modelFolder('feedback', 'x'.repeat(200))).toBe(`feedback/${'x'.repeat(200)}`);
});

test.each([
  ['2026-02-11T09:59:59.999Z', 'year=2026/month=02/day=11/2026021109'],
  ['2026-02-11T10:00:00.000Z', 'year=2026/month=02/day=11/2026021110'],
  ['2025-12-31T23:00:00.000Z', 'year=2025/month=12/day=31/2025123123'],
])('the hour of %s is %s', (time, expected) => {
  expect(hourPath(Date.parse(time))).toBe(expected);
});

test.each([
  ['a/2026021109_0.jsonl', 0],
  ['a/2026021109_12.jsonl', 12],
  ['a_7/2026021109_12.jsonl', 12],
  ['a/2026021109.jsonl', -1],
  ['a/2026021109_x.jsonl', -1],
  ['', -1],
])('the counter of %s is %i', (key, expected) => {
  expect(counterOf(key)).toBe(expected);
});

test.each([
  ['2026-11-20 08:46:40 +0000', '2026-11-20T08:46:40.000Z'],
  ['2026-11-20 08:46:40 +0130', '2026-11-20T07:16:40.000Z'],
  ['2026-11-20 08:46:40 -0800', '2026-11-20T16:46:40.000Z'],
])('%s is %s', (text, expected) => {
  expect(parseTime(text)).toBe(Date.parse(expected));
});

test('a time is written and read back by the second', () => {
  const at = Date.parse('2026-11-20T08:46:40.999Z');
  expect(parseTime(timeText(at))).toBe(Date.parse('2026-11-20T08:46:40.000Z'));
});

test.each([undefined, null, 5, '', '2026-11-20T08:46:40Z', '2026-13-20 08:46:40 +0000', '2026-11-20 08:46:40', ' x '])(
  '%j is no time of a record',
  (text) => {
    expect(parseTime(text)).toBeUndefined();
  },
);
