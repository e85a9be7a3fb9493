import { Command } from 'commander';
import type { CliContext } from './context.js';

/** `slipway config`: every setting with its value and meaning; secrets stay hidden. @throws validation_failed */
export function configCommand({ terminal, env }: CliContext): Command {
  return new Command('config')
    .description('print every setting of the platform, with the values of this shell')
    .option('--json', 'as one JSON object of values')
    .action(async ({ json }: { json?: boolean }) => {
      const { showSettings } = await import('./settings.js');
      terminal.out(showSettings(env, { json }));
    });
}
