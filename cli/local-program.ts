import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CliContext } from './context.js';
import { OperationFailed } from './failure.js';

const LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/**
 * Runs a program of `workers/` with the settings of the environment, without the API: it connects to services, which the
 * command line has no clients of.
 */
export async function runLocally(
  { terminal, env, signal }: Pick<CliContext, 'terminal' | 'env' | 'signal'>,
  name: 'doctor' | 'rekey' | 'codec',
  args: readonly string[] = [],
): Promise<void> {
  const { execa } = await import('execa');
  const program = fileURLToPath(new URL(`../workers/${name}.ts`, import.meta.url));
  const options = { env, extendEnv: false, reject: false, cancelSignal: signal } as const;
  const running = execa(process.execPath, ['--import', LOADER, program, ...args], options);
  for await (const line of running) terminal.out(line);
  const { stderr, exitCode } = await running;
  if (stderr !== '') terminal.note(stderr);
  if (exitCode !== 0) throw new OperationFailed();
}
