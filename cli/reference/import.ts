import { createReadStream } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { CliContext } from '../context.js';
import { isMissingFile, messageOf } from '../error-text.js';
import { connect } from '../login/session.js';
import { parseDataset } from './dataset-name.js';
import { finishImport, importName } from './import-end.js';
import { upload } from './upload.js';

interface ImportCommandOptions {
  format?: 'ndjson' | 'csv';
  mode?: 'upsert' | 'insert_only' | 'replace';
  dryRun?: boolean;
  onError?: 'stop' | 'skip';
  maxErrors?: number;
  announce?: 'as_you_go' | 'at_end';
  wait: boolean;
}

/** `slipway import`: uploads rows, and follows the import to its end. */
export function importCommand(context: CliContext): Command {
  return new Command('import')
    .description('import rows into a dataset from NDJSON or CSV')
    .argument('<dataset>', 'name of the dataset')
    .argument('<file>', 'file with the rows, or - for standard input')
    .addOption(new Option('--format <format>', 'default: by the end of the file name').choices(['ndjson', 'csv']))
    .addOption(
      new Option('--mode <mode>', 'default upsert; replace deletes rows that the upload does not have').choices([
        ...['upsert', 'insert_only', 'replace'],
      ]),
    )
    .option('--dry-run', 'everything but the writes')
    .addOption(new Option('--on-error <action>', 'after an invalid row; default stop').choices(['stop', 'skip']))
    .option('--max-errors <count>', 'with --on-error skip: the import fails when there are more; default 1000', toCount)
    .addOption(
      new Option('--announce <when>', 'at_end: readers see nothing until it has succeeded').choices([
        ...['as_you_go', 'at_end'],
      ]),
    )
    .option('--no-wait', 'upload only; print the name of the import')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, file: string, options: ImportCommandOptions, command: Command) => {
      const { terminal, signal, pause } = context;
      const dataset = parseDataset(name);
      const format = options.format ?? formatOf(file);
      const content = await open(context, file);
      const slipway = await connect(context, command);
      const { mode, dryRun, onError, maxErrors, announce } = options;
      const query = {
        ...{ format, ...(mode && { mode }), ...(dryRun && { dry_run: true }), ...(onError && { on_error: onError }) },
        ...{ ...(maxErrors && { max_errors: maxErrors }), ...(announce && { announce }) },
      };
      const { data } = await slipway.http.POST('/v2/{dataset}/imports', {
        params: { path: { dataset }, query },
        signal,
      });
      const path = { dataset, id: data?.id ?? '' };
      const onProgress = (bytes: number): void => terminal.note(`${(bytes / 2 ** 20).toFixed(1)} MiB uploaded`);
      await upload({ http: slipway.http, path, content, onProgress, signal, pause });
      await slipway.http.POST('/v2/{dataset}/imports/{id}/commit', { params: { path }, signal });
      if (options.wait) return finishImport(context, slipway, path);
      terminal.out(importName(path));
      terminal.note(`follow with "slipway imports wait ${importName(path)}"`);
    });
}

const EXAMPLES = `
Examples:
  slipway import courses courses.ndjson
  slipway import courses courses.csv --mode replace --dry-run
  gunzip -c courses.ndjson.gz | slipway import courses - --format ndjson`;

function toCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('use a number from 1 to 5000000.');
  return Number(text);
}

/** @throws validation_failed */
function formatOf(file: string): 'ndjson' | 'csv' {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson';
  if (/\.csv$/i.test(file)) return 'csv';
  throw new SlipwayError(
    'validation_failed',
    `the format of "${file}" is not known: use --format ndjson or --format csv`,
  );
}

/** Opens the content before the server is asked for anything. @throws validation_failed */
async function open({ stdin }: CliContext, file: string): Promise<AsyncIterable<Buffer | string>> {
  if (file === '-') return stdin;
  const stream = createReadStream(file);
  await new Promise<void>((done, fail) => stream.once('readable', done).once('error', fail)).catch((cause: unknown) => {
    const why = isMissingFile(cause) ? 'there is no such file' : messageOf(cause);
    throw new SlipwayError('validation_failed', `${file}: ${why}`, { cause });
  });
  return stream;
}
