import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { writeResult } from '../report.js';
import { startProgram } from '../start-program.js';
import type { Times } from './measure.js';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000,1000000' },
    engines: { type: 'string', default: 'slipway,minisearch,flexsearch,tantivy' },
    seconds: { type: 'string', default: '10' },
  },
});
/** Processor time, which other work on the machine does not change. */
const BARS = { p99Ms: 2, maxMs: 20 };
const EVALUATED = 'all of these in turn';

interface Result {
  engine: string;
  rows: number;
  bytesPerRow: number;
  indexBytesPerRow?: number;
  buildSeconds: number;
  fromBytesSeconds?: number;
  completeness: { asked: number; share: number };
  typoRecall: { asked: number; share: number };
  times: (Times & { name: string })[];
}

async function run(engine: string, rows: string): Promise<Result> {
  const child = await startProgram(new URL('engine-process.ts', import.meta.url), [engine, rows, values.seconds], {
    flags: ['--expose-gc', '--max-old-space-size=12288'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (result) => resolve(result as Result));
    child.once('exit', (code) => reject(new Error(`${engine} with ${rows} rows ended with code ${code}`)));
  });
}

const results: Result[] = [];
const load: number[] = [];
for (const rows of values.rows.split(',')) {
  for (const engine of values.engines.split(',')) {
    load.push(loadavg()[0] ?? 0);
    const result = await run(engine, rows);
    results.push(result);
    print(result);
    // After each engine: at a million rows a peer may need more memory than there is.
    await writeResult('lookup', { command: 'npx tsx bench/lookup/main.ts', bars: BARS, load, results });
  }
}
const passed = results.filter(({ engine }) => engine === 'slipway').map(evaluate);
process.exitCode = passed.every(Boolean) ? 0 : 1;

function evaluate({ rows, times, completeness }: Result): boolean {
  const cpu = times.find(({ name }) => name === EVALUATED)?.cpu ?? { p99: NaN, max: NaN };
  const passed = cpu.p99 <= BARS.p99Ms && cpu.max <= BARS.maxMs && completeness.share === 1;
  const figures = `p99 ${cpu.p99.toFixed(2)} ms, bar ${BARS.p99Ms}; max ${cpu.max.toFixed(2)} ms, bar ${BARS.maxMs}`;
  console.log(`\nlookup in process, ${rows.toLocaleString('en')} rows: ${figures}: ${passed ? 'ok' : 'MISSED'}`);
  return passed;
}

function print({ times, ...result }: Result): void {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  console.log(`\n${result.engine}, ${result.rows.toLocaleString('en')} rows`);
  console.log(`  memory per row ${result.bytesPerRow.toFixed(0)} bytes, built in ${result.buildSeconds.toFixed(1)} s`);
  if (result.fromBytesSeconds !== undefined) {
    console.log(
      `  of these the index ${result.indexBytesPerRow?.toFixed(0)} bytes; loaded in ${result.fromBytesSeconds.toFixed(2)} s`,
    );
  }
  const { completeness, typoRecall } = result;
  console.log(
    `  no row missing for ${percent(completeness.share)} of ${completeness.asked} beginnings of 1 to 6 letters`,
  );
  console.log(`  ${percent(typoRecall.share)} of ${typoRecall.asked} names with a slip are among the first ten`);
  console.log(
    `  ${'milliseconds'.padEnd(22)}${['p50', 'p99', 'max', 'cpu p50', 'cpu p99', 'cpu max', 'queries'].map((title) => title.padStart(10)).join('')}`,
  );
  for (const { name, queries, wall, cpu } of times) {
    const cells = [wall.p50, wall.p99, wall.max, cpu.p50, cpu.p99, cpu.max]
      .map((ms) => ms.toFixed(3).padStart(10))
      .join('');
    console.log(`  ${name.padEnd(22)}${cells}${queries.toString().padStart(10)}`);
  }
}
