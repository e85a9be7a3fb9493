import { Readable } from 'node:stream';
import { createImportActivities } from '../../../activities/imports/import.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { type DatasetImport, type ImportOptions, NO_COUNTS } from '../../../reference/dataset/import.js';
import type { Database } from '../../../platform/stores/database.js';
import { createDatasets, type Datasets } from '../../../reference/stores/datasets.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { createRowWrites } from '../../../reference/stores/row-writes.js';
import { createImports } from '../../../reference/stores/imports.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { newAttempt } from '../shared/environment.js';

const SKILLS = DatasetSpec.parse({ fields: { name: { type: 'text', required: true } } });
export const PEOPLE = DatasetSpec.parse({
  fields: {
    name: { type: 'text', required: true },
    boss: { type: 'ref', dataset: 'people' },
    skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
  },
});
const OPTIONS: ImportOptions = {
  format: 'ndjson',
  mode: 'upsert',
  dry_run: false,
  on_error: 'skip',
  max_errors: 100,
  announce: 'as_you_go',
};

const opened: Datasets[] = [];
/** Stops the processes that a test opened. */
export async function stopProcesses(): Promise<void> {
  for (const datasets of opened.splice(0)) await datasets.stop();
}

/** Stores of their own with both datasets, and processes on them. */
export async function createWorld() {
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  let count = 0;

  async function openProcess(given: Database = database) {
    const datasets = createDatasets({ database: given, lazy: true });
    opened.push(datasets);
    await datasets.start();
    const imports = createImports({ database: given, objects });
    const writes = createRowWrites({ datasets });
    return { datasets, imports, writes, steps: createImportActivities({ datasets, imports, writes, blockRows: 5 }) };
  }

  const process = await openProcess();
  const declarations = createDeclarations(process);
  for (const [name, spec] of Object.entries({ skills: SKILLS, people: PEOPLE })) {
    await declarations.declare({ name, spec, actor: 'test', force: false });
  }
  await process.datasets.need('skills');
  await process.writes.put({ dataset: 'skills', id: 1n, actor: 'test' }, { name: 'Welding' });

  async function upload(text: string, options: Partial<ImportOptions> = {}): Promise<string> {
    const id = `imp_${(count += 1)}`;
    const given: DatasetImport = {
      id,
      dataset: 'people',
      actor: 'key:k1',
      options: { ...OPTIONS, ...options },
      state: 'queued',
      created_at: '2026-01-01T00:00:00.000Z',
      counts: NO_COUNTS,
      errors: [],
      cursor: { offset: 0, line: 0 },
    };
    const size_bytes = await process.imports.append(id, 0, Readable.from([Buffer.from(text)]));
    await process.imports.put({ ...given, size_bytes });
    return id;
  }

  /** Twelve people, as they were imported. */
  const fill = async (): Promise<DatasetImport> => run(await upload(lines(people(1, 12))), process);
  return { database, objects, openProcess, process, upload, fill };
}
export type Process = Awaited<ReturnType<typeof createWorld>>['process'];

/** The workflow's steps in one process; what fails is recorded as the workflow records it. */
export async function run(importId: string, { steps, imports }: Process, attempt = 1): Promise<DatasetImport> {
  const step = <T>(call: () => Promise<T>): Promise<T> => newAttempt({ attempt }).run(call);
  try {
    const { replaces } = await step(() => steps.beginImport({ importId }));
    await step(() => steps.importRows({ importId }));
    if (replaces) await step(() => steps.removeAbsent({ importId }));
    await step(() => steps.finishImport({ importId }));
  } catch (err) {
    if (err instanceof Error && err.message === 'the process died here') throw err;
    await step(() => steps.failImport({ importId, state: 'failed', message: (err as Error).message }));
  }
  return imports.get(importId);
}

export async function peopleIn({ datasets }: Process): Promise<Record<string, unknown>> {
  const { dataset } = await datasets.need('people');
  await dataset.follower.catchUp();
  const { rows, visible } = dataset.replica;
  const found: Record<string, unknown> = {};
  for (let row = 0; row < rows.end(); row += 1) {
    if (rows.isAt(row, visible)) {
      const { name, version } = JSON.parse(rows.bytes(row).toString());
      found[String(rows.id(row))] = [version, name];
    }
  }
  return found;
}
export const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
export const people = (from: number, to: number, word = 'n') =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ id: String(from + n), name: `${word}${from + n}` }));
