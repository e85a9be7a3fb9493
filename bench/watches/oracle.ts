import { inspect } from 'node:util';
import { compareTraces } from '../../test/notifications/watches/compare.js';
import { seeded } from '../../test/notifications/watches/traces.js';
import { writeResult } from '../report.js';

/** Random traces, each judged by the machine and by the naive oracle of the tests. */
const [traces = 1_000_000, seed = 1] = process.argv.slice(2).map(Number);

const started = performance.now();
const { notices, difference } = compareTraces(seeded(seed), traces);
const seconds = Math.round((performance.now() - started) / 100) / 10;
if (difference !== undefined) {
  console.log(inspect(difference, { depth: 8 }));
  process.exit(1);
}
console.log(`${traces} traces with ${notices} notices (seed ${seed}): all equal to the oracle, in ${seconds} s`);
await writeResult('watches-oracle', { traces, seed, notices, seconds, equal: true });
