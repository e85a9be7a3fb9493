import { Command, Option } from 'commander';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { CliContext } from '../context.js';
import { connect } from '../login/session.js';
import { toData } from '../output/format.js';
import { colored } from '../output/state-color.js';
import { toTable } from '../output/table.js';
import { clock } from '../output/time.js';
import { parseDataset } from './dataset-name.js';
import { countsOf, finishImport, importName, listImports, readImport } from './import-end.js';
import type { ImportPath } from './upload.js';

/** `slipway imports`: imports that were started. */
export const importsCommand = (context: CliContext): Command =>
  new Command('imports')
    .description('list, show, follow or cancel imports')
    .addCommand(listCommand(context))
    .addCommand(describeCommand(context))
    .addCommand(waitCommand(context))
    .addCommand(cancelCommand(context));

const listCommand = (context: CliContext): Command =>
  new Command('list')
    .description('show the newest imports of a dataset')
    .argument('<dataset>', 'name of a dataset')
    .option('--limit <number>', 'imports at most, up to 200', '50')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json', 'yaml']).default('table'))
    .addHelpText('after', '\nExample:\n  slipway imports list courses')
    .action(async (text: string, { limit, output }: { limit: string; output: string }, command: Command) => {
      const { terminal, signal } = context;
      const imports = await listImports(
        await connect(context, command),
        { dataset: parseDataset(text), limit: Number(limit) },
        signal,
      );
      if (output !== 'table') return terminal.out(await toData(imports, output));
      if (imports.length === 0) return terminal.note(`${text} has no imports`);
      const rows = imports.map(({ id, dataset, status, spec, created_at, created_by }) => [
        importName({ dataset, id }),
        colored(terminal.paint, status.state),
        `${spec.mode}${spec.dry_run ? ', dry run' : ''}`,
        countsOf(status),
        clock(created_at),
        created_by,
      ]);
      terminal.out(toTable([['IMPORT', 'STATE', 'MODE', 'ROWS', 'CREATED', 'BY'], ...rows]));
    });

const named = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .argument('<import>', '<dataset>/<id>, as "slipway import" prints it')
    .addHelpText('after', `\nExample:\n  slipway imports ${name} courses/imp_3f9c`);

const describeCommand = (context: CliContext): Command =>
  named('describe', 'show its state, its counts and its first errors')
    .addOption(new Option('-o, --output <format>').choices(['table', 'json', 'yaml']).default('table'))
    .action(async (text: string, { output }: { output: string }, command: Command) => {
      const { terminal, signal } = context;
      const given = await readImport(await connect(context, command), parseImport(text), signal);
      if (output !== 'table') return terminal.out(await toData(given, output));
      const { spec, status, created_at, created_by } = given;
      const facts = [
        ['state', colored(terminal.paint, status.state)],
        ['message', status.message ?? ''],
        ['mode', `${spec.mode}${spec.dry_run ? ', dry run' : ''}`],
        ['rows', countsOf(status)],
        ['version', String(status.version_to ?? '')],
        [
          'first error',
          status.errors[0] === undefined ? '' : `line ${status.errors[0].line}: ${status.errors[0].message}`,
        ],
        ['created', `${clock(created_at)} by ${created_by}`],
      ];
      const shown = facts.filter(([, value]) => value !== '').map(([name, value]) => [`  ${name}`, value ?? '']);
      terminal.out(`${terminal.paint('bold', `import ${text}`)}\n${toTable(shown)}`);
    });

const waitCommand = (context: CliContext): Command =>
  named('wait', 'follow it to its end').action(async (text: string, _options: object, command: Command) =>
    finishImport(context, await connect(context, command), parseImport(text)),
  );

const cancelCommand = (context: CliContext): Command =>
  named('cancel', 'end it; rows that were written stay').action(
    async (text: string, _options: object, command: Command) => {
      const { http } = await connect(context, command);
      const params = { path: parseImport(text) };
      await http.DELETE('/v2/{dataset}/imports/{id}', { params, signal: context.signal });
      context.terminal.out(`import ${text} canceled`);
    },
  );

/** @throws validation_failed */
function parseImport(text: string): ImportPath {
  const [dataset = '', id = '', ...more] = text.split('/');
  if (id !== '' && more.length === 0) return { dataset: parseDataset(dataset), id };
  throw new SlipwayError('validation_failed', `"${text}" is not an import: use <dataset>/<id>`);
}
