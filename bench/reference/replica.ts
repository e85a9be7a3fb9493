/**
 * From the start of a process to the moment when its dataset answers, from a snapshot in a local file: hash, unpack,
 * rows, columns and indexes. `--rows 1000000`
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, writeResult } from '../report.js';
import { startProgram } from '../start-program.js';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '135233,1000000' }, rounds: { type: 'string', default: '3' } },
});
const BARS: Record<number, number> = { 135_233: 3, 1_000_000: 10 };
const PROGRAM = new URL('replica-process.ts', import.meta.url);

async function run(step: 'save' | 'start', folder: string, rows: number): Promise<Record<string, number>> {
  const child = await startProgram(PROGRAM, [step, folder, String(rows)], { flags: ['--expose-gc'] });
  const [figures] = await once(child, 'message');
  await once(child, 'exit');
  return figures;
}

const results: Record<string, number>[] = [];
for (const rows of values.rows.split(',').map(Number)) {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  const saved = await run('save', folder, rows);
  const starts: Record<string, number>[] = [];
  for (let n = 0; n < Number(values.rounds); n += 1) starts.push(await run('start', folder, rows));
  await rm(folder, { recursive: true });
  const of = (name: string): number => median(starts.map((each) => each[name] ?? NaN));
  results.push({
    rows,
    ...saved,
    readySeconds: of('readySeconds'),
    bar: BARS[rows] ?? NaN,
    bytesPerRow: of('bytesPerRow'),
    rssMiB: of('rssMiB'),
  });
}
console.table(results);
await writeResult('replica', { results });
