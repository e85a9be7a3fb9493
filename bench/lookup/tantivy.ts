import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from '../../examples/reference-data/places.js';
import { aliasOf, normal } from './engines.js';
import { damagedNames } from './measure.js';
import type { QueryClass } from './queries.js';

interface Job {
  rows: readonly Place[];
  classes: readonly QueryClass[];
  expected: ReadonlyMap<string, number[]>;
  seconds: number;
}

/** Measures tantivy in a process of Python, which gets the same rows and queries, normalised as for every peer. */
export function measureTantivy({ rows, classes, expected, seconds }: Job): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-tantivy-'));
  const file = join(folder, 'job.json');
  const job = {
    seconds,
    rows: rows.map((row) => [normal(row.name), aliasOf(row), row.population]),
    classes: classes.map(({ name, queries }) => ({ name, queries: queries.map(normal) })),
    expected: [...expected],
    damaged: [...damagedNames(rows, 2_000)].map(({ typed, wanted }) => [normal(typed), wanted]),
  };
  try {
    writeFileSync(file, JSON.stringify(job));
    const python = process.env.BENCH_PYTHON ?? 'python3';
    const program = join(import.meta.dirname, 'tantivy_engine.py');
    return JSON.parse(
      execFileSync(python, [program, file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
