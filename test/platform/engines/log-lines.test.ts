import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { type Frame, readFrames } from '../../../platform/engines/docker/frames.js';
import { joinLines, linesAfter, positionAfter } from '../../../platform/engines/docker/log-lines.js';
import type { LogLine, LogPosition } from '../../../platform/kinds/log.js';
import { collectGarbage } from '../../collect-garbage.js';

type Piece = [stream: 'stdout' | 'stderr', at: string, text: string];

function frame([stream, at, text]: Piece): Buffer {
  const payload = Buffer.from(`${at} ${text}`);
  const header = Buffer.alloc(8);
  header[0] = stream === 'stdout' ? 1 : 2;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function lines(
  pieces: Piece[],
  { size = 1_000, running = false, from = undefined as LogPosition | undefined } = {},
) {
  const frames = readFrames(cut(Buffer.concat(pieces.map(frame)), size));
  const all: LogLine[] = [];
  for await (const line of linesAfter(joinLines(frames, { unfinished: async () => running }), from)) all.push(line);
  return all;
}

const T = (second: number, fraction = ''): string => `2026-01-02T03:04:${String(second).padStart(2, '0')}${fraction}Z`;

test('time stamps of either engine become UTC with nine digits', async () => {
  const read = await lines([
    ['stdout', T(1), 'podman\n'],
    ['stdout', '2026-01-02T05:04:02+02:00', 'podman elsewhere\n'],
    ['stdout', T(3, '.120000000'), 'docker\n'],
    ['stdout', T(4, '.5'), 'short\n'],
  ]);
  expect(read.map(({ at }) => at)).toEqual([
    T(1, '.000000000'),
    T(2, '.000000000'),
    T(3, '.120000000'),
    T(4, '.500000000'),
  ]);
});

test('pieces of two streams do not mix, and a line has the time of its end', async () => {
  const read = await lines([
    ['stdout', T(1), 'aaa'],
    ['stderr', T(2), 'warning\n'],
    ['stdout', T(3), 'bbb\n'],
  ]);
  expect(read).toEqual([
    { at: T(2, '.000000000'), stream: 'stderr', text: 'warning' },
    { at: T(3, '.000000000'), stream: 'stdout', text: 'aaabbb' },
  ]);
});

test('the last words need no line break once the program has ended', async () => {
  const pieces: Piece[] = [
    ['stdout', T(1), 'one\n'],
    ['stdout', T(1), 'two'],
  ];
  expect((await lines(pieces)).map(({ text }) => text)).toEqual(['one', 'two']);
  expect((await lines(pieces, { running: true })).map(({ text }) => text)).toEqual(['one']);
});

test('an empty line and one of blanks stay', async () => {
  const read = await lines([
    ['stdout', T(1), '\n'],
    ['stdout', T(1), '  \n'],
  ]);
  expect(read.map(({ text }) => text)).toEqual(['', '  ']);
});

test('a frame that the connection cut off is not a line', async () => {
  const bytes = Buffer.concat([frame(['stdout', T(1), 'whole\n']), frame(['stdout', T(1), 'broken\n'])]);
  const read: string[] = [];
  const frames = readFrames(cut(bytes.subarray(0, -3), 5));
  for await (const { text } of joinLines(frames, { unfinished: async () => true })) read.push(text);
  expect(read).toEqual(['whole']);
});

test('a line longer than 64 KiB is cut there, at a whole character, and says how long it was', async () => {
  const read = await lines([
    ['stdout', T(1), `x${'ä'.repeat(40_000)}`],
    ['stdout', T(2), 'tail\n'],
    ['stdout', T(3), `${'b'.repeat(65_536)}\n`],
  ]);
  expect(read.map(({ text }) => text)).toEqual([
    `x${'ä'.repeat(32_767)} [cut: the line has 80005 bytes]`,
    'b'.repeat(65_536),
  ]);
});

test('64 MiB without a line break take no more memory than a line may have', async () => {
  const pieces: WeakRef<ArrayBufferLike>[] = [];
  let held = Infinity;
  async function* flood(): AsyncGenerator<Frame> {
    for (let piece = 0; piece < 4_096; piece += 1) {
      const payload = Buffer.concat([Buffer.from(`${T(1)} `), Buffer.alloc(16_384, 'a')]);
      pieces.push(new WeakRef(payload.buffer));
      yield { stream: 'stdout', payload };
    }
    await setImmediate(); // a reference counts until the end of its turn
    collectGarbage();
    held = pieces.filter((piece) => piece.deref() !== undefined).length;
  }
  const read: string[] = [];
  for await (const { text } of joinLines(flood(), { unfinished: async () => false })) read.push(text);
  expect(read).toEqual([`${'a'.repeat(65_536)} [cut: the line has ${64 * 2 ** 20} bytes]`]);
  // The four that the line holds, and those that are on their way.
  expect(held).toBeLessThan(16);
});

const logs = fc
  .array(fc.tuple(fc.constantFrom('stdout', 'stderr'), fc.integer({ min: 0, max: 2 }), fc.string(), fc.boolean()), {
    maxLength: 40,
  })
  .map((rows) => {
    // A log whose time does not change for many lines, as with whole seconds, and in which the two streams overtake each other.
    let second = 10;
    return rows.map(([stream, step, text, ended]): Piece => {
      second += step === 2 ? 1 : 0;
      const jitter = step === 1 ? '.000000001' : '.000000002';
      return [stream, T(second, jitter), text.replaceAll('\n', '') + (ended ? '\n' : '')];
    });
  });

test('however the bytes are cut, the lines are the same', async () => {
  await fc.assert(
    fc.asyncProperty(logs, fc.integer({ min: 1, max: 50 }), async (pieces, size) => {
      expect(await lines(pieces, { size })).toEqual(await lines(pieces));
    }),
  );
});

test('wherever a reader stops, what it reads next follows on what it has', async () => {
  await fc.assert(
    fc.asyncProperty(logs, fc.nat(), async (pieces, at) => {
      const all = await lines(pieces);
      const had = all.slice(0, at % (all.length + 1));
      const from = had.reduce<LogPosition | undefined>((position, line) => positionAfter(line, position), undefined);
      expect([...had, ...(await lines(pieces, { from }))]).toEqual(all);
    }),
  );
});
