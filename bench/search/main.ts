import { createColumns, parseStoredRow } from '../../reference/columns/index.js';
import { parseFilter, requireFilter } from '../../reference/filter/index.js';
import { compilePredicate } from '../../reference/filter/predicate.js';
import { parseOrder } from '../../reference/dataset/order.js';
import { TopRows } from '../../reference/rows/top-rows.js';
import { finish } from '../../reference/lookup/steps.js';
import { compileOrder } from '../../reference/rows/row-order.js';
import { createRowStore } from '../../reference/rows/row-store.js';
import { createSearch } from '../../reference/dataset/search.js';
import { median, writeResult } from '../report.js';
import { createRandom, FIRST_ID, storedRow, target } from './positions.js';
import { HOSTILE, QUERIES, type Query } from './queries.js';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const PAGE = 50;
/** Work between two turns of the event loop. */
const SLICE = 300_000;
const ROWS_OF_SLICE = 50_000;
const HOSTILE_BAR = 5;
const WARM_UP = 20;

const columns = createColumns(target.leaves);
const rows = createRowStore();
const load = measure(() => {
  const random = createRandom(1);
  for (let at = 0; at < ROWS; at += 1) {
    const text = storedRow(at, random);
    const added = { id: FIRST_ID + BigInt(at), version: 1, from: 1, bytes: Buffer.from(text), deleted: false };
    columns.set(rows.add(added), parseStoredRow(text));
  }
});
const index = measure(() => {
  while (columns.maintain());
});
const sort = measure(() => {
  const steps = columns.sorting('title');
  if (steps) finish(steps); // the service does so in the background once it was asked for
});
const bytesPerRow = columns.sizeBytes() / ROWS;
console.log(
  `${ROWS} rows: made and set in ${seconds(load)}, indexed in ${seconds(index)}, titles sorted in ${seconds(sort)}, columns ${bytesPerRow.toFixed(0)} bytes/row`,
);

console.log(
  `${'query, with its first page and count'.padEnd(40)}${'hits'.padStart(9)}${'p50'.padStart(10)}${'p99'.padStart(10)}${'slice'.padStart(9)}   bar`,
);
const figures = QUERIES.map(run);
console.log(
  `\n${'hostile text, parsed (and tried on 100 rows)'.padEnd(50)}${'median'.padStart(10)}${'max'.padStart(10)}`,
);
const hostile = HOSTILE.map(([name, text]) => {
  const times = Array.from({ length: 50 }, () => measure(() => evaluate(text)).cpuMs);
  const [medianMs, maxMs] = [median(times), Math.max(...times)];
  const verdict = `<= ${HOSTILE_BAR} ms${medianMs <= HOSTILE_BAR ? '' : ': missed'}`;
  console.log(`${name.padEnd(50)}${ms(medianMs)}${ms(maxMs)}   ${verdict}`);
  return { name, medianMs, maxMs };
});
await writeResult('search', {
  rows: ROWS,
  columnsBytesPerRow: bytesPerRow,
  load,
  index,
  sort,
  queries: figures,
  hostile,
});

/** Both in milliseconds: of the clock, and of processors, which other work on the machine does not change. */
interface Cost {
  wallMs: number;
  cpuMs: number;
}

function measure(work: () => unknown): Cost {
  const [start, before] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - start, cpuMs: (user + system) / 1_000 };
}

function run({ name, bar, runs, order = '', text }: Query) {
  const random = createRandom(11);
  let hits = 0;
  let longestSlice = 0;
  const costs = Array.from({ length: runs + (bar === undefined ? 0 : WARM_UP) }, () => {
    const asked = text(random);
    return measure(() => {
      const search = createSearch({
        filter: requireFilter(asked, target),
        columns,
        isVisible: (row) => rows.isAt(row, 1),
        findId: (id) => rows.findAt(id, 1),
      });
      const slice = (work: () => unknown) => (longestSlice = Math.max(longestSlice, measure(work).cpuMs));
      for (let done = false; !done;) slice(() => (done = search.advance(SLICE)));
      const found = search.found();
      hits = found.length;
      const first = new TopRows({ order: compileOrder(parseOrder(order, target), columns), size: PAGE });
      for (let at = 0; at < hits; at += ROWS_OF_SLICE) slice(() => first.take(found.subarray(at, at + ROWS_OF_SLICE)));
      slice(() => first.list());
    });
  }).slice(bar === undefined ? 0 : WARM_UP);
  const [wall, cpu] = [costs.map(({ wallMs }) => wallMs), costs.map(({ cpuMs }) => cpuMs)];
  const figure = {
    name,
    hits,
    runs,
    bar,
    p50Ms: at(wall, 0.5),
    p99Ms: at(wall, 0.99),
    p50CpuMs: at(cpu, 0.5),
    p99CpuMs: at(cpu, 0.99),
    longestSliceMs: longestSlice,
  };
  const verdict = bar === undefined ? '-' : `<= ${bar} ms${figure.p99CpuMs <= bar ? '' : ': missed'}`;
  console.log(
    `${name.padEnd(40)}${String(hits).padStart(9)}${ms(figure.p50CpuMs)}${ms(figure.p99CpuMs)}${ms(longestSlice).padStart(9)}   ${verdict}`,
  );
  return figure;
}

function evaluate(text: string): void {
  const result = parseFilter(text, target);
  if (!result.ok) return;
  const predicate = compilePredicate(result.filter, columns);
  for (let row = 0; row < 100; row += 1) predicate(row);
}

function at(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`.padStart(10);
}

function seconds({ wallMs }: Cost): string {
  return `${(wallMs / 1_000).toFixed(1)} s`;
}
