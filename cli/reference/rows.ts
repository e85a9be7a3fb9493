import { Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../context.js';
import { connect } from '../login/session.js';
import { toData } from '../output/format.js';
import { parseDataset } from './dataset-name.js';
import { readRowPages, type Row } from './row-pages.js';
import { rowTable } from './row-text.js';

const FORMATS = ['table', 'wide', 'name', 'ndjson', 'json', 'yaml'] as const;

interface RowsOptions {
  filter?: string;
  orderBy?: string;
  fields?: string;
  asOf?: number;
  limit: number;
  output: (typeof FORMATS)[number];
}

/** `slipway rows`: rows of a dataset, all of them or those that fulfil a filter. */
export function rowsCommand(context: CliContext): Command {
  return new Command('rows')
    .description('list rows of a dataset')
    .argument('<dataset>', 'name of the dataset')
    .option('--filter <expression>', "only rows that fulfil it, such as 'level > 2 and customer.id != 5'")
    .option('--order-by <fields>', 'such as "name" or "level desc,name"')
    .option('--fields <fields>', 'only these fields, such as name,customer.id')
    .option('--as-of <version>', 'as of this version of the dataset', toCount)
    .addOption(new Option('--limit <count>', 'at most so many').default(50).argParser(toCount))
    .addOption(new Option('-o, --output <format>').choices(FORMATS).default('table'))
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { output, ...wanted }: RowsOptions, command: Command) => {
      const { terminal, signal } = context;
      const dataset = parseDataset(name);
      const slipway = await connect(context, command);
      const rows: Row[] = [];
      let found = 0;
      let all = 0;
      for await (const page of readRowPages(slipway, { ...wanted, dataset }, signal)) {
        all = page.total;
        found += page.rows.length;
        // Lines come page by page, so that a whole dataset needs no memory.
        if (output === 'ndjson' || output === 'name') printLines(context, page.rows, output);
        else rows.push(...page.rows);
      }
      if (found === 0)
        terminal.note(`dataset ${dataset} has no rows${wanted.filter === undefined ? '' : ' that match'}`);
      const text = await textOf(rows, output);
      if (text !== '') terminal.out(text);
      if (found < all) terminal.note(`${found} of ${all} rows: use a higher --limit, or a --filter, for the others`);
    });
}

const EXAMPLES = `
Examples:
  slipway rows courses --filter 'level > 2' --order-by name
  slipway rows courses --limit 1000000 -o ndjson > courses.ndjson     ready for "slipway import"`;

function toCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('use a number from 1 to 999999999.');
  return Number(text);
}

function printLines({ terminal }: CliContext, rows: readonly Row[], output: 'ndjson' | 'name'): void {
  if (rows.length > 0)
    terminal.out(rows.map((row) => (output === 'name' ? String(row.id) : JSON.stringify(row))).join('\n'));
}

async function textOf(rows: readonly Row[], output: RowsOptions['output']): Promise<string> {
  if (output === 'json' || output === 'yaml') return toData(rows, output);
  return rows.length === 0 ? '' : rowTable(rows, { wide: output === 'wide' });
}

/** `slipway row`: one row by its id. */
export function rowCommand(context: CliContext): Command {
  return new Command('row')
    .description('show one row of a dataset')
    .argument('<dataset>', 'name of the dataset')
    .argument('<id>', 'id of the row')
    .option('--as-of <version>', 'as of this version of the dataset', toCount)
    .addOption(new Option('-o, --output <format>').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', '\nExamples:\n  slipway row courses 1152921504606846976\n  slipway row courses 12 -o json')
    .action(
      async (name: string, id: string, { asOf, output }: Pick<RowsOptions, 'asOf' | 'output'>, command: Command) => {
        const { terminal, signal } = context;
        const path = { dataset: parseDataset(name), id };
        const { http } = await connect(context, command);
        const query = asOf === undefined ? {} : { as_of: asOf };
        const { data } = await http.GET('/v2/{dataset}/{id}', { params: { path, query }, signal });
        terminal.out(await toData(data, output));
      },
    );
}
