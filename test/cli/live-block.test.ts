import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { CliContext } from '../../cli/context.js';
import { createLiveBlock } from '../../cli/progress/live-block.js';
import { createTerminal } from '../../cli/terminal.js';

/** A terminal without colors that keeps what is written to it. */
function fakeTerminal() {
  let text = '';
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24, hasColors: () => false });
  stream.on('data', (chunk: Buffer) => void (text += String(chunk)));
  return { stream: stream as unknown as WriteStream, read: () => text };
}

function block() {
  const { stream, read } = fakeTerminal();
  const terminal = createTerminal({ stdout: stream, stderr: stream, env: {} });
  let time = 0;
  // Only these two are asked for.
  const context = { terminal, now: () => time } as unknown as CliContext;
  const display = createLiveBlock(context, stream);
  return { display, read, wait: (ms: number) => void (time += ms) };
}
/** The final text, without colors and cursor movements. */
const lastFrame = (text: string): string[] =>
  stripVTControlCharacters(text)
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());

test('each row has its state, its step and its own time; rows that ended stay as they were', () => {
  const { display, read, wait } = block();
  display.set('run/wine-3', { state: 'running' });
  display.set('run/wine-3 resolve', { state: 'running' });
  wait(2_000);
  display.set('run/wine-3 resolve', { state: 'succeeded' });
  display.set('run/wine-3 training', { state: 'running', detail: 'training/wine-3' });
  display.set('run/wine-3 training', { step: 'train' });
  wait(61_000);
  display.set('run/wine-3 training', { state: 'failed' });
  display.set('run/wine-3', { state: 'failed' });
  display.stop();
  expect(lastFrame(read())).toEqual([
    '✗ run/wine-3           failed  1m3s',
    '✓ run/wine-3 resolve   succeeded  2s',
    '✗ run/wine-3 training  failed  train  training/wine-3  1m1s',
  ]);
});

test('a line that has no room is cut, as a broken one would be one more than the block knows of', () => {
  const { display, read } = block();
  display.set('run/wine-3 metrics', { state: 'failed', detail: 'rmse is 0.55, '.repeat(20) });
  display.stop();
  const [line = '', ...others] = lastFrame(read());
  expect([line.length < 80, others]).toEqual([true, []]);
  expect(line).toMatch(/^✗ run\/wine-3 metrics {2}failed {2}rmse is 0\.55, .*… {2}0s$/);
});

test('the last lines of a log stand below what runs, without what would break the block', () => {
  const { display, read } = block();
  display.set('training/wine', { state: 'running' });
  for (const line of ['one', 'two', 'three', '\u001b[2Jfour\u001b[31m', '', 'five', 'x'.repeat(200)])
    display.line('training/wine', line);
  display.stop();
  const frame = lastFrame(read());
  expect(frame.slice(1)).toEqual(['  │ three', '  │ four', '  │ five', `  │ ${'x'.repeat(73)}…`]);
});
