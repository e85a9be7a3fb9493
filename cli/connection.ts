import { Command } from 'commander';
import type { CliContext } from './context.js';
import { OperationFailed } from './failure.js';
import { connect } from './login/session.js';
import { toJson } from './output/format.js';
import { toTable } from './output/table.js';

/** `slipway connection`: what only connections have. */
export const connectionCommand = (context: CliContext): Command =>
  new Command('connection').description('test a connection').addCommand(testCommand(context));

const TITLES = { reach: 'reach', login: 'log in', read: 'read', write: 'write' } as const;

function testCommand(context: CliContext): Command {
  const { terminal, signal } = context;
  return new Command('test')
    .description('reach the other side of a connection, log in, read, and write if asked to')
    .argument('<id>', 'connection')
    .option('--write', 'write too: an object that is removed again, or a small blob that no image refers to')
    .option('--json', 'as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (id: string, { write, json }: { write?: boolean; json?: boolean }, command: Command) => {
      const slipway = await connect(context, command);
      const params = { path: { id }, query: { write: write ?? false } };
      const { data } = await slipway.http.POST('/api/v1/connection/{id}/test', { params, signal });
      if (data === undefined) return; // a reply without one is an error, which is thrown
      const rows = data.checks.map(({ step, passed, reason = '' }) => [TITLES[step], passed ? 'ok' : 'failed', reason]);
      terminal.out(json ? toJson(data) : toTable(rows));
      if (!data.passed) throw new OperationFailed();
    });
}

const EXAMPLES = `
Examples:
  slipway connection test wine-data
  slipway connection test models --write

The exit code is 1 when a step fails; later steps are not tried then.`;
