import { createGapMachine, type GapRules } from '../../notifications/watches/gap-machine.js';
import { seeded } from '../../test/notifications/watches/traces.js';
import { writeResult } from '../report.js';

/**
 * Many armed entities in one watch: what they take, what a change costs, and how long the log's passing of a deadline
 * takes to become a notice in memory. Nothing is stored here.
 */
const [armed = 1_000_000, changes = 200_000] = process.argv.slice(2).map(Number);
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const BARS = { delayP99Ms: 1_000 };

const rules: GapRules = {
  period: 'P14D',
  grace: 'PT6H',
  late_notice: false,
  rearm: { mode: 'next_change', every: null, max: 10 },
  recovery_notice: true,
  closed_notice: false,
  on_resume: 'judge',
  counts: { dwell: null },
};

const memory = (): number => {
  (globalThis as { gc?: () => void }).gc?.(); // with --expose-gc
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const at = (sorted: readonly number[], share: number): number =>
  Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? NaN) * 1_000) / 1_000;

const random = seeded(1);
const before = memory();
let emitted = 0;
let machine = createGapMachine(rules, () => void (emitted += 1));
const armStart = performance.now();
for (let n = 1; n <= armed; n += 1) {
  machine.arm({ id: BigInt(n), version: 1 }, { gap: 1, since: START + random(14 * 24 * HOUR_MS) });
}
const armSeconds = (performance.now() - armStart) / 1_000;
const mebibytes = Math.round((memory() - before) / 2 ** 20);

const versions = new Uint32Array(armed + 1).fill(1);
const changeStart = performance.now();
for (let n = 0; n < changes; n += 1) {
  const id = 1 + random(armed);
  versions[id] = (versions[id] ?? 1) + 1;
  const change = { id: BigInt(id), version: versions[id] ?? 2, member: true, counts: true, dwells: true };
  machine.observe(change, START + 14 * 24 * HOUR_MS + n);
}
const perSecond = Math.round(changes / ((performance.now() - changeStart) / 1_000));

const saveStart = performance.now();
const saved = machine.encode();
const saveMs = Math.round(performance.now() - saveStart);
const loadStart = performance.now();
machine = createGapMachine(rules, () => void (emitted += 1));
machine.decode(saved);
const loadMs = Math.round(performance.now() - loadStart);

// The log passes deadline after deadline: measures one step until all its events are emitted.
const steps: number[] = [];
for (let time = START + 14 * 24 * HOUR_MS, n = 0; n < 20_000; n += 1, time += 60_000) {
  const begun = performance.now();
  machine.advance(time);
  steps.push(performance.now() - begun);
}
steps.sort((one, other) => one - other);
const delay = { p50Ms: at(steps, 0.5), p99Ms: at(steps, 0.99), maxMs: at(steps, 1) };
const figures = { armed, mebibytes, bytesEach: Math.round((mebibytes * 2 ** 20) / armed), armSeconds, perSecond };
console.log(`${armed} armed: ${mebibytes} MiB (${figures.bytesEach} bytes each), in ${armSeconds.toFixed(1)} s`);
console.log(`${perSecond} changes/s; saved in ${saveMs} ms, read again in ${loadMs} ms (${saved.length} bytes)`);
console.log(
  `${emitted} notices in ${steps.length} steps of the log: p50 ${delay.p50Ms} ms, p99 ${delay.p99Ms} ms, max ${delay.maxMs} ms (bar ${BARS.delayP99Ms})`,
);
// language: `told` is a field of the result files
const result = { ...figures, saveMs, loadMs, savedBytes: saved.length, told: emitted, delay, bars: BARS };
await writeResult('watches-armed', result);
