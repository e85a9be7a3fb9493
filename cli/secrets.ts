import { Command, InvalidArgumentError } from 'commander';
import type { CliContext } from './context.js';
import { runLocally } from './local-program.js';

/** `slipway secrets`: what an operator does with the keys of an installation, on a host that has them. */
export const secretsCommand = (context: CliContext): Command =>
  new Command('secrets')
    .description('secrets of the installation')
    .addCommand(rekeyCommand(context))
    .addCommand(codecCommand(context));

const rekeyCommand = (context: CliContext): Command =>
  new Command('rekey')
    .description('seal every stored secret again with SLIPWAY_SECRET_KEY, with the settings of a process')
    .addHelpText(
      'after',
      '\nIt may run beside API and workers, be interrupted, and run again: what is done stays done.\n' +
        'Example, where a process of the platform runs and with its environment:\n  slipway secrets rekey',
    )
    .action(() => runLocally(context, 'rekey'));

const codecCommand = (context: CliContext): Command =>
  new Command('codec')
    .description("let Temporal's Web UI and command line show encrypted payloads, with the settings of a process")
    .option('--port <number>', 'port on 127.0.0.1', readPort, 8234)
    .addHelpText(
      'after',
      '\nIt prints an address for "Codec Server" in the Web UI, or for "temporal --codec-endpoint".\n' +
        'Example, where a process of the platform runs and with its environment:\n  slipway secrets codec',
    )
    .action(({ port }: { port: number }) => runLocally(context, 'codec', [String(port)]));

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('use a port from 1 to 65535.');
  return port;
}
