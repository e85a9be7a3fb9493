import type { components, Slipway } from '../../client/index.js';
import { createPatience } from '../../client/patience.js';
import type { DatasetImport, ImportCounts, ImportState, RowProblem } from '../../reference/dataset/import.js';
import type { CliContext } from '../context.js';
import { OperationFailed } from '../failure.js';
import { createDisplay } from '../progress/display.js';
import type { ImportPath } from './upload.js';

/** An import as the API shows it. */
export type ShownImport = Omit<components['schemas']['Import'], 'spec' | 'status'> & {
  spec: DatasetImport['options'];
  status: ImportCounts & { state: ImportState; message?: string; errors: RowProblem[]; version_to?: number };
};

export const importName = ({ dataset, id }: ImportPath): string => `${dataset}/${id}`;

export async function readImport({ http }: Slipway, path: ImportPath, signal: AbortSignal): Promise<ShownImport> {
  const { data } = await http.GET('/v2/{dataset}/imports/{id}', { params: { path }, signal });
  return data as ShownImport; // its schema leaves the options and counts open
}

/** The newest first, without the errors of their rows. */
export async function listImports(
  { http }: Slipway,
  { dataset, limit }: { dataset: string; limit: number },
  signal: AbortSignal,
): Promise<ShownImport[]> {
  const { data } = await http.GET('/v2/{dataset}/imports', { params: { path: { dataset }, query: { limit } }, signal });
  return (data?.items ?? []) as ShownImport[];
}

const POLL_MS = 500;

/** Follows an import to its end and reports it. @throws OperationFailed unless it succeeded */
export async function finishImport(context: CliContext, slipway: Slipway, path: ImportPath): Promise<void> {
  const { terminal, signal, pause, now } = context;
  const name = `import ${importName(path)}`;
  const display = await createDisplay(context, { logs: false });
  const patience = createPatience({ signal, now, pause });
  try {
    for (;;) {
      const given = await patience.call(() => readImport(slipway, path, signal));
      const { state, rows_read: read } = given.status;
      display.set(name, { state, detail: read === 0 ? undefined : `${read} rows` });
      if (isOver(state)) {
        display.stop();
        return report(context, given);
      }
      await pause(POLL_MS, signal);
    }
  } catch (error) {
    display.stop();
    if (signal.aborted) terminal.note(`${name} continues; follow with "slipway imports wait ${importName(path)}"`);
    throw error;
  }
}

const isOver = (state: ImportState): boolean => state === 'succeeded' || state === 'failed' || state === 'canceled';

const MOST_ERRORS = 10;

function report({ terminal }: CliContext, { id, dataset, spec, status }: ShownImport): void {
  const { state, errors, failed, message, version_to: version } = status;
  for (const { line, pointer = '', message: text } of errors.slice(0, MOST_ERRORS))
    terminal.note(`line ${line}: ${[pointer, text].filter(Boolean).join(' ')}`);
  if (failed > MOST_ERRORS)
    terminal.note(
      `${failed} invalid rows in all; "slipway imports describe ${dataset}/${id} -o json" shows the first 1000`,
    );
  const end = `import ${dataset}/${id} ${state}${spec.dry_run ? ' (dry run)' : ''}: ${countsOf(status)}`;
  if (state === 'succeeded') return terminal.out(`${end}${version === undefined ? '' : `; version ${version}`}`);
  terminal.note(`${end}${message === undefined ? '' : `: ${message}`}`);
  throw new OperationFailed();
}

/** `12 rows read, 10 created, 2 failed`: those that are none are left out. */
export const countsOf = ({ rows_read, created, updated, unchanged, deleted, failed }: ImportCounts): string =>
  [
    `${rows_read} rows read`,
    ...Object.entries({ created, updated, unchanged, deleted, failed })
      .filter(([, count]) => count > 0)
      .map(([what, count]) => `${count} ${what}`),
  ].join(', ');
