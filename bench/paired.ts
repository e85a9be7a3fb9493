/**
 * Runs benchmarks of two checkouts in turns and compares their figures pair by pair, so that a machine whose speed drifts
 * changes no ratio. Both checkouts have their packages installed. The order of the two changes with each round.
 */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { execa } from 'execa';
import { z } from 'zod';
import { median, writeResult } from './report.js';
import { parseCount } from './scale/options.js';

interface Bench {
  args: string[];
  /** The file in `bench/results` that it writes. */
  result: string;
  /** Reads the figures from it. Less is better; one that an older checkout does not write is undefined. */
  figures: z.ZodType<Figures>;
}
type Figures = Record<string, number | undefined>;

const INVOKE = z
  .object({ rows: z.tuple([z.object({ gateway: z.object({ p50Ms: z.number() }) })], z.unknown()) })
  .transform(({ rows: [one] }) => ({ 'invoke, p50 ms': one.gateway.p50Ms }));
const FETCH = z
  .object({ sides: z.object({ slipway: z.object({ serverUs: z.number() }) }) })
  .transform(({ sides: { slipway } }) => ({ 'fetch, us of the server': slipway.serverUs }));
const LOOKUP = z
  .object({ rounds: z.array(z.object({ p50Ms: z.number() })) })
  .transform(({ rounds: all }) => ({ 'lookup, p50 ms': median(all.map(({ p50Ms }) => p50Ms)) }));
const REPACK = z
  .object({ medianSeconds: z.number(), trainingStartSeconds: z.number().optional() })
  .transform((result) => ({ 'repack, s': result.medianSeconds, 'training start, s': result.trainingStartSeconds }));

// prettier-ignore
const BENCHES = {
  invoke: { args: ['bench/gateway/main.ts'], result: 'gateway', figures: INVOKE },
  fetch:  { args: ['bench/reference/fetch.ts', '--rounds', '5'], result: 'reference-fetch', figures: FETCH },
  lookup: { args: ['bench/reference/lookup.ts', '--rows', '100000', '--rounds', '3'], result: 'reference-lookup', figures: LOOKUP },
  repack: { args: ['bench/repack/main.ts'], result: 'repack', figures: REPACK },
} satisfies Record<string, Bench>;
type Name = keyof typeof BENCHES;

/** The most that a figure may grow. */
const BAR = 1.05;

const { before, after, rounds, only } = new Command('npx tsx bench/paired.ts')
  .description('Compares benchmarks of two checkouts, in turns.')
  .requiredOption('--before <folder>', 'the checkout to compare with')
  .option('--after <folder>', 'the checkout that may be slower', '.')
  .option('--rounds <count>', 'pairs of runs', parseCount, 5)
  .option('--only <names...>', `of ${Object.keys(BENCHES).join(', ')}`, Object.keys(BENCHES))
  .parse()
  .opts<{ before: string; after: string; rounds: number; only: Name[] }>();
const sides = { before: resolve(before), after: resolve(after) };

/** Runs one benchmark in a checkout, whose own result stays as it was. */
async function figuresOf(folder: string, { args, result, figures }: Bench): Promise<Figures> {
  const file = join(folder, 'bench', 'results', `${result}.json`);
  const kept = await readFile(file).catch(() => undefined);
  const writtenAt = await writeTime(file);
  try {
    const { all } = await execa('node', ['--import', 'tsx', ...args], { cwd: folder, all: true, reject: false });
    // A benchmark that misses its own bar ends with 1, and has a result all the same.
    if ((await writeTime(file)) === writtenAt)
      throw new Error(`${args[0]} in ${folder} wrote no result:\n${all.slice(-2_000)}`);
    return figures.parse(JSON.parse(await readFile(file, 'utf8')));
  } finally {
    if (kept) await writeFile(file, kept);
  }
}

const writeTime = async (file: string): Promise<number> =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

const pairs = new Map<string, { before: number; after: number }[]>();
for (const name of only) {
  const bench: Bench | undefined = BENCHES[name];
  if (bench === undefined) throw new Error(`no benchmark "${name}": use ${Object.keys(BENCHES).join(', ')}`);
  for (let round = 0; round < rounds; round += 1) {
    const found: Partial<Record<keyof typeof sides, Figures>> = {};
    for (const side of round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const)) {
      found[side] = await figuresOf(sides[side], bench);
      console.error(`${name}, pair ${round + 1} of ${rounds}, ${side}: ${JSON.stringify(found[side])}`);
    }
    for (const [what, now] of Object.entries(found.after ?? {})) {
      const then = found.before?.[what];
      if (then === undefined || now === undefined) continue;
      pairs.set(what, [...(pairs.get(what) ?? []), { before: then, after: now }]);
    }
  }
}

const short = (value: number): number => Number(value.toPrecision(3));
const table = [...pairs].map(([what, each]) => {
  const ratios = each.map((pair) => pair.after / pair.before);
  const ratio = median(ratios);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map(short);
  const middle = (side: 'before' | 'after') => short(median(each.map((pair) => pair[side])));
  return {
    what,
    before: middle('before'),
    after: middle('after'),
    ratio: short(ratio),
    least,
    most,
    reached: ratio <= BAR,
  };
});
console.table(table);
await writeResult('paired', { bar: BAR, rounds, table, pairs: Object.fromEntries(pairs) });
process.exitCode = table.every(({ reached }) => reached) ? 0 : 1;
