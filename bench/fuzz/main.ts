import { fuzzFilters } from '../../test/api/reference/fuzz-filters.js';
import { startTestGraph } from '../../test/api/reference/graph-data.js';

/** Random filters against the service over HTTP: `npx tsx bench/fuzz/main.ts [count] [seed]`. */
const [count = 100_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const api = await startTestGraph();
const began = performance.now();
try {
  const { found, refused } = await fuzzFilters(api, { count, seed });
  const failures = api.lines.filter((line) => line.includes('"level":50'));
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`${count} filters (seed ${seed}) in ${seconds} s: ${found} answered, ${refused} refused with a reason`);
  console.log(failures.length === 0 ? 'no failure of the service' : failures.slice(0, 5).join('\n'));
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  await api.stop();
}
