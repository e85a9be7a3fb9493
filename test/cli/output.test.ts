import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { messageOf, isMissingFile } from '../../cli/error-text.js';
import { compilePath } from '../../cli/output/jsonpath.js';
import { colored } from '../../cli/output/state-color.js';
import { toCells, toLine, toTable, widthsOf } from '../../cli/output/table.js';
import { age, clock, duration, elapsed, parseDuration } from '../../cli/output/time.js';
import { createTerminal } from '../../cli/terminal.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [-5, '0ms', '0s'],
  [0, '0ms', '0s'],
  [850, '850ms', '0s'],
  [999.6, '1000ms', '0s'],
  [4_230, '4.2s', '4s'],
  [9_940, '9.9s', '9s'],
  [10 * SECOND, '10s', '10s'],
  [59_999, '59s', '59s'],
  [MINUTE, '1m', '1m'],
  [80 * SECOND, '1m20s', '1m20s'],
  [HOUR - 1, '59m59s', '59m59s'],
  [HOUR, '1h', '1h'],
  [2 * HOUR + 5 * MINUTE + 59 * SECOND, '2h5m', '2h5m'],
  [DAY, '1d', '1d'],
  [3 * DAY + 4 * HOUR + 59 * MINUTE, '3d4h', '3d4h'],
])('a span of %f ms is %s, and while it grows %s', (ms, span, growing) => {
  expect(duration(ms)).toBe(span);
  expect(elapsed(ms)).toBe(growing);
});

test.each([
  ['2026-01-01T00:00:00.000Z', '1m'],
  ['2026-01-01T00:00:59.500Z', '500ms'],
  ['2026-01-01T00:02:00.000Z', '0ms'], // a server whose clock is ahead
  ['no time', ''],
  [undefined, ''],
])('the age of %s is "%s"', (from, expected) => {
  expect(age(from, Date.parse('2026-01-01T00:01:00.000Z'))).toBe(expected);
});

test.each([
  ['45', 45 * SECOND],
  ['45s', 45 * SECOND],
  ['0', 0],
  ['1.5s', 1_500],
  ['20m', 20 * MINUTE],
  ['1h30m', 90 * MINUTE],
  ['1d2h3m4s', DAY + 2 * HOUR + 3 * MINUTE + 4 * SECOND],
  ['2d', 2 * DAY],
  ['90m', 90 * MINUTE],
  ['', undefined],
  ['s', undefined],
  ['-1s', undefined],
  ['30m1h', undefined],
  ['1h 30m', undefined],
  ['10ms', undefined],
  ['ten', undefined],
  ['1.5h', undefined],
])('the option "--timeout %s" is %s ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

test('a time is shown as a local clock shows it, and no time as nothing', () => {
  const at = new Date(2026, 0, 2, 3, 4, 5);
  expect(clock(at.toISOString())).toBe('2026-01-02 03:04:05');
  expect([clock(undefined), clock('soon')]).toEqual(['', '']);
});

const ROWS = [{ id: 'wine' }, { id: 'a longer one' }, { id: '' }, { id: 'two\n lines\there' }];
const COLUMNS = [
  { header: 'ID', value: ({ id }: { id: string }) => id },
  { header: 'NOW', value: (_row: { id: string }, now: number) => String(now) },
];

test('a cell is one line, an empty one a dash, and columns are as wide as their longest cell', () => {
  const cells = toCells(COLUMNS, ROWS, 7);
  expect(cells.map(([id]) => id)).toEqual(['wine', 'a longer one', '-', 'two lines here']);
  const lines = toTable([['ID', 'NOW'], ...cells]).split('\n');
  expect(lines.map((line) => line.indexOf(line.startsWith('ID') ? 'NOW' : '7'))).toEqual([17, 17, 17, 17, 17]);
  expect(lines.every((line) => line === line.trimEnd())).toBe(true);
});

test('colors take no room, and letters outside of the first plane one place each', () => {
  const red = '\u001b[31mfailed\u001b[39m';
  expect(widthsOf([['STATE'], [red], ['🍷']])).toEqual([6]);
  expect(toLine([red, 'x'], [8, 1])).toBe(`${red}     x`);
  expect(toLine(['🍷', 'x'], [3, 1])).toBe('🍷     x');
  expect([toTable([]), toLine(['long', 'x'], [1, 1])]).toEqual(['', 'long   x']);
});

const ENTITIES = [
  { id: 'iris', status: { state: 'failed', metrics: { rmse: 0.5 }, artifacts: [] } },
  {
    id: 'wine',
    status: { state: 'succeeded', metrics: { rmse: 0.25 }, artifacts: [{ runId: 'r1' }, { runId: 'r2' }] },
  },
];
test.each([
  ['$..runId', true, 'r1\nr2'],
  ['{.id}', false, 'iris'],
  [' { $.id } ', false, 'iris'],
  ["['id']", false, 'iris'],
  ['$[1].id', false, ''], // a list of one
  ['$[-1].id', true, 'wine'],
  ['$[*].status.metrics.rmse', true, '0.5\n0.25'],
  ['$[*].status.artifacts[-1].runId', true, 'r2'],
  ['$[?@.status.metrics.rmse <= 5e-1 && @.id == "wine"].id', true, 'wine'],
  ["$[?match(@.id, 'w.*')].id", true, 'wine'],
  ['$.status', false, '{"state":"failed","metrics":{"rmse":0.5},"artifacts":[]}'],
  ['$.absent', false, ''],
  ['$.status.artifacts', false, '[]'],
])('the JSONPath %s of a list (%s) gives its values line by line', (path, isList, expected) => {
  expect(compilePath(path)(isList ? ENTITIES : ENTITIES.slice(0, 1), isList)).toBe(expected);
});

test.each(['$[', '{.id', '$.a[?]', '$[?@.id ==]', '$.a b'])('"%s" is refused before a request is sent', (path) => {
  expect(() => compilePath(path)).toThrow(path);
});

interface Screen {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}
const screen = (properties: Screen = {}) => Object.assign(new PassThrough(), { hasColors: () => true }, properties);
const FULL = { isTTY: true, columns: 80, rows: 24 };

test.each<[string, Screen, Record<string, string>, boolean]>([
  ['a terminal', FULL, {}, true],
  ['a pipe', {}, {}, false],
  ['a terminal that knows not its width', { ...FULL, columns: 0 }, {}, false],
  ['a terminal that knows not its height', { ...FULL, rows: 0 }, {}, false],
  ['a dumb terminal', FULL, { TERM: 'dumb' }, false],
  ['continuous integration', FULL, { CI: 'true' }, false],
])('in %s a display that moves is drawn only where it can be', (_name, properties, env, isLive) => {
  const stderr = screen(properties);
  const { live } = createTerminal({ stdout: screen(), stderr, env });
  expect(live === undefined ? undefined : Object.is(live, stderr)).toBe(isLive || undefined);
});

test('each stream decides for itself about colors, and data go to the first alone', () => {
  const [stdout, stderr] = [screen(), screen(FULL)];
  const terminal = createTerminal({ stdout, stderr, env: {} });
  expect(terminal.paint('red', 'x')).toBe('x');
  expect(terminal.paintNote('red', 'x')).toBe('\u001b[31mx\u001b[39m');
  expect(colored(terminal.paintNote, 'succeeded')).toContain('\u001b[32m');
  expect(['unheard-of', 'toString', ''].map((state) => colored(terminal.paintNote, state))).toEqual([
    ...['unheard-of', 'toString', ''],
  ]);
  terminal.out('data');
  terminal.note('a hint');
  expect([stdout.read(), stderr.read()].map(String)).toEqual(['data\n', 'a hint\n']);
  const plain = Object.assign(screen(FULL), { hasColors: () => false });
  expect(createTerminal({ stdout: plain, stderr, env: {} }).paint('red', 'x')).toBe('x');
});

test.each([
  [new Error('no space'), 'no space', false],
  [Object.assign(new Error('gone'), { code: 'ENOENT' }), 'gone', true],
  [{ message: 'of another realm', code: 'ENOENT' }, 'of another realm', true],
  ['a text', 'a text', false],
  [undefined, 'undefined', false],
  [null, 'null', false],
])('the message of %s can be read', (thrown, message, isMissing) => {
  expect([messageOf(thrown), isMissingFile(thrown)]).toEqual([message, isMissing]);
});
