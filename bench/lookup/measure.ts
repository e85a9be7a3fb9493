import { splitWords } from '../../reference/lookup/normalization.js';
import { damaged } from './damage.js';
import type { Engine } from './engines.js';
import type { Place } from '../../examples/reference-data/places.js';
import type { QueryClass } from './queries.js';
import { createRandom } from '../../examples/reference-data/random.js';

/** Milliseconds. `wall` is what a caller waits, with pauses for garbage and for other processes; `cpu` is without the latter. */
export interface Times {
  queries: number;
  wall: Spread;
  cpu: Spread;
}

interface Spread {
  p50: number;
  p99: number;
  max: number;
}

/** Runs each query once to warm up and once to measure, or as many as fit the time. */
export function measureClass(engine: Engine, { queries }: QueryClass, secondsAtMost: number): Times {
  const end = performance.now() + secondsAtMost * 1_000;
  for (const query of queries) {
    engine.topTen(query);
    if (performance.now() > end) break;
  }
  const wall: number[] = [];
  const cpu: number[] = [];
  const measuredEnd = performance.now() + secondsAtMost * 1_000;
  for (const query of queries) {
    const usage = process.cpuUsage();
    const start = performance.now();
    engine.topTen(query);
    wall.push(performance.now() - start);
    const { user, system } = process.cpuUsage(usage);
    cpu.push((user + system) / 1_000);
    if (performance.now() > measuredEnd) break;
  }
  return { queries: wall.length, wall: spread(wall), cpu: spread(cpu) };
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Beginnings of one to six letters of words of names, each with all rows that have such a word: a naive count. */
export function rowsByBeginning(rows: readonly Place[], count: number, seed = 5): Map<string, number[]> {
  const random = createRandom(seed);
  const expected = new Map<string, number[]>();
  for (let tries = 0; expected.size < count && tries < count * 100; tries += 1) {
    const words = splitWords(rows[Math.floor(random() * rows.length)]?.name ?? '');
    const word = words[Math.floor(random() * words.length)] ?? '';
    const prefix = word.slice(0, 1 + Math.floor(random() * LONGEST_BEGINNING));
    if (prefix !== '') expected.set(prefix, []);
  }
  for (const [row, { name }] of rows.entries()) {
    const prefixes = splitWords(name).flatMap((word) => LENGTHS.map((length) => word.slice(0, length)));
    for (const prefix of new Set(prefixes)) expected.get(prefix)?.push(row);
  }
  return expected;
}

const LONGEST_BEGINNING = 6;
const LENGTHS = Array.from({ length: LONGEST_BEGINNING }, (_, at) => at + 1);

/** Share of beginnings for which no row is missing. */
export function completeness(engine: Engine, expected: Map<string, number[]>, secondsAtMost: number) {
  const end = performance.now() + secondsAtMost * 1_000;
  let [asked, complete] = [0, 0];
  for (const [prefix, rows] of expected) {
    const found = engine.allBeginning(prefix);
    asked += 1;
    if (rows.every((row) => found.has(row))) complete += 1;
    if (performance.now() > end) break;
  }
  return { asked, share: complete / asked };
}

/** Names with one slip in them, and the normalised name that each should find. */
export function* damagedNames(rows: readonly Place[], count: number, seed = 9) {
  const random = createRandom(seed);
  for (let made = 0; made < count;) {
    const { name } = rows[Math.floor(random() * rows.length)] ?? { name: '' };
    const typed = damaged(name, random);
    if (typed === name) continue;
    made += 1;
    yield { typed, wanted: splitWords(name).join(' ') };
  }
}

/** Share of names that are among the first ten with one slip in them. */
export function typoRecall(engine: Engine, rows: readonly Place[], count: number, secondsAtMost: number, seed = 9) {
  const end = performance.now() + secondsAtMost * 1_000;
  let [asked, found] = [0, 0];
  for (const { typed, wanted } of damagedNames(rows, count, seed)) {
    if (performance.now() > end) break;
    asked += 1;
    if (engine.topTen(typed).some((row) => splitWords(rows[row]?.name ?? '').join(' ') === wanted)) found += 1;
  }
  return { asked, share: found / asked };
}
