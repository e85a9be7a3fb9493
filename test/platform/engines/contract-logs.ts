import { expect, test } from 'vitest';
import type { LogLine, LogPosition } from '../../../platform/kinds/log.js';
import { positionAfter } from '../../../platform/engines/docker/log-lines.js';
import { eventually, exited, launch, readAll, shell, type Subject, release, untilReleased } from './harness.js';

const texts = (lines: readonly LogLine[]): string[] => lines.map(({ text }) => text);
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

export function logContract(subject: Subject): void {
  const { engine, image } = subject;

  test('both streams come with their names, in order, and the end of the container ends a followed log', async () => {
    const handle = await launch(subject, shell(image, 'echo one; sleep 1; echo two >&2; sleep 1; printf tail'));
    const lines = await readAll(engine.logs(handle, { follow: true }));
    expect(lines.map(({ stream, text }) => [stream, text])).toEqual([
      ['stdout', 'one'],
      ['stderr', 'two'],
      ['stdout', 'tail'],
    ]);
    expect(lines.every(({ at }) => Math.abs(Date.parse(at) - Date.now()) < 60_000)).toBe(true);
    expect(await readAll(engine.logs(handle, { follow: false }))).toEqual(lines);
  });

  test('a reader that stops anywhere goes on there, within a second too, without loss and without doubles', async () => {
    const script = 'for i in $(seq 1 1500); do echo $i; done; sleep 1.1; for i in $(seq 1501 2000); do echo $i; done';
    const handle = await launch(subject, shell(image, script));
    const read: string[] = [];
    let position: LogPosition | undefined;
    for (const portion of [1, 7, 600, 300, 700, 10_000]) {
      let taken = 0;
      for await (const line of engine.logs(handle, { from: position, follow: true })) {
        position = positionAfter(line, position);
        read.push(line.text);
        if ((taken += 1) === portion) break;
      }
    }
    expect(read).toEqual(numbers(1, 2000));
    expect(await readAll(engine.logs(handle, { from: position, follow: false }))).toEqual([]);
  });

  test('a program that prints faster than it is read loses nothing when it ends', async () => {
    const handle = await launch(subject, shell(image, 'sleep 1; seq 1 200000'));
    expect(texts(await readAll(engine.logs(handle, { follow: true })))).toEqual(numbers(1, 200_000));
  });

  test('a line of a megabyte stays one line, and is cut', async () => {
    const script = 'head -c 1000000 /dev/zero | tr "\\0" a; echo; echo after';
    const handle = await launch(subject, shell(image, script));
    await exited(subject, handle);
    const lines = texts(await readAll(engine.logs(handle, { follow: false })));
    expect(lines).toEqual([`${'a'.repeat(65_536)} [cut: the line has 1000000 bytes]`, 'after']);
  });

  test('text that is cut within a character is joined before it is read', async () => {
    const handle = await launch(subject, shell(image, `python3 -c 'print("x" + "\u00e4\u20ac\u{1f6a2}" * 7000)'`));
    await exited(subject, handle);
    const lines = await readAll(engine.logs(handle, { follow: false }));
    expect(texts(lines)).toEqual([`x${'\u00e4\u20ac\u{1f6a2}'.repeat(7_000)}`]);
  });

  test('half a line of a running program is not a line yet', async () => {
    const handle = await launch(subject, untilReleased(image, 'echo " done"; sleep 60', 'echo first; printf half'));
    const first = await eventually(async () => {
      const lines = await readAll(engine.logs(handle, { follow: false }));
      return lines.length > 0 ? lines : undefined;
    });
    expect(texts(first)).toEqual(['first']);
    await release(subject, handle);
    const rest: string[] = [];
    const from = positionAfter(first[0] as LogLine);
    for await (const { text } of engine.logs(handle, { from, follow: true })) {
      rest.push(text);
      break;
    }
    expect(rest).toEqual(['half done']);
  });

  test('a followed log waits through a pause and an abort ends it', async () => {
    const handle = await launch(subject, shell(image, 'echo before; sleep 0.5; echo after; sleep 60'));
    const reading = new AbortController();
    const lines = engine.logs(handle, { follow: true, signal: reading.signal })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toMatchObject({ text: 'before' });
    await engine.pause(handle);
    setTimeout(() => void engine.unpause(handle), 1_000);
    expect((await lines.next()).value).toMatchObject({ text: 'after' });
    setTimeout(() => reading.abort(new Error('enough')), 100);
    await expect(lines.next()).rejects.toThrow('enough');
  });

  test('a line is there while its program goes on', async () => {
    const handle = await launch(subject, untilReleased(image, 'exit 0', 'echo line'));
    for await (const { text } of engine.logs(handle, { follow: true })) {
      expect([text, (await engine.state(handle))?.phase]).toEqual(['line', 'running']);
      break;
    }
    await release(subject, handle);
  });
}
