import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../../workers/compose/program.js';

let disk: string;
let child: ChildProcess | undefined;
beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), 'slipway-log-'));
  await execa('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'slipway-test', disk]);
});
afterAll(async () => {
  if (child?.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  await execa('umount', [disk]);
  await rmdir(disk);
});

test('a process whose log finds no disk space goes on; afterwards its log says how many lines it lacks', async () => {
  const program = await bundleProgram(new URL('./log-child.ts', import.meta.url));
  const path = join(disk, 'child.log');
  const filler = await open(join(disk, 'filler'), 'w');
  await filler.write(Buffer.alloc(900_000));
  const output = await open(path, 'a');
  const writer = spawn(process.execPath, [program], { stdio: ['ipc', output.fd, 'inherit'] });
  child = writer;
  const ended = once(writer, 'exit');
  /** @returns the number of the line that the child writes last */
  async function write(lines: number): Promise<number> {
    writer.send(lines);
    const [last] = (await once(writer, 'message')) as [number];
    return last;
  }
  const all = async () => (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');

  expect(await write(5_000)).toBe(5_000);
  const before = (await all()).length;
  expect(before).toBeLessThan(5_000);
  await rm(join(disk, 'filler'));
  await filler.close();
  expect(await write(10)).toBe(5_010);
  writer.disconnect();
  expect(await ended).toEqual([0, null]);
  await output.close();

  const lines: { n?: number; dropped?: number; msg: string }[] = (await all()).map((line) => JSON.parse(line));
  const [note, ...more] = lines.filter(({ dropped }) => dropped !== undefined);
  const numbers = lines.flatMap(({ n }) => n ?? []);
  expect(more).toEqual([]);
  expect(numbers.length + (note?.dropped ?? 0)).toBe(5_010);
  expect(numbers.slice(-10)).toEqual(Array.from({ length: 10 }, (_, n) => 5_001 + n));
  expect(lines.at(-11)).toBe(note);
});
