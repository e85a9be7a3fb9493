import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { execa } from 'execa';
import type { CliContext } from './context.js';
import { OperationFailed } from './failure.js';

/** A process of its own: it connects to every service, which the command line has no clients of. */
const PROGRAM = fileURLToPath(new URL('../workers/doctor.ts', import.meta.url));
const LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** `slipway doctor`: examines the installation with the settings of the environment, without the API. */
export function doctorCommand({ terminal, env, signal }: CliContext): Command {
  return new Command('doctor')
    .description('examine settings, services, indexes, clock and disk from this host, with the settings of a process')
    .option('--json', 'as one JSON list')
    .addHelpText('after', '\nExample, where a process of the platform runs and with its environment:\n  slipway doctor')
    .action(async ({ json }: { json?: boolean }) => {
      const args = ['--import', LOADER, PROGRAM, ...(json ? ['--json'] : [])];
      const options = { env, extendEnv: false, reject: false, cancelSignal: signal } as const;
      const { stdout, stderr, exitCode } = await execa(process.execPath, args, options);
      if (stdout !== '') terminal.out(stdout);
      if (stderr !== '') terminal.note(stderr);
      if (exitCode !== 0) throw new OperationFailed();
    });
}
