import { ENGINES } from './engines.js';
import { completeness, measureClass, rowsByBeginning, typoRecall } from './measure.js';
import { places } from '../../examples/reference-data/places.js';
import { measureTantivy } from './tantivy.js';
import { HOSTILE, mixed, queryClasses } from './queries.js';

// One engine in a process of its own, so that its memory is its own: engine, number of rows, seconds per measurement.
const [engineName, rowCount, seconds] = process.argv.slice(2);
const limit = Number(seconds);
const rows = places(Number(rowCount));
const typed = queryClasses(rows, 2_000);
const classes = [...typed, mixed(typed, 500), HOSTILE];
const expected = rowsByBeginning(rows, 10_000);

process.send?.(
  engineName === 'tantivy'
    ? measureTantivy({ rows, classes, expected, seconds: limit })
    : measureEngine(engineName as keyof typeof ENGINES),
);

function measureEngine(name: keyof typeof ENGINES) {
  const before = memory();
  const engine = ENGINES[name](rows);
  const bytesPerRow = (memory() - before) / rows.length;

  // Or the first class, which has few queries, would be measured while its code is being compiled.
  measureClass(engine, mixed(typed, 100), limit);
  const times = classes.map((each) => ({ name: each.name, ...measureClass(engine, each, limit) }));
  return {
    engine: name,
    rows: rows.length,
    bytesPerRow,
    ...engine.figures,
    completeness: completeness(engine, expected, limit * 6),
    typoRecall: typoRecall(engine, rows, 2_000, limit * 2),
    times,
  };
}

function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
