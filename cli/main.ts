import { createRequire } from 'node:module';
import { EXIT } from './exit-codes.js';
import { Interrupted } from './interrupt.js';
import { createFetch } from './proxy.js';
import { runCli } from './run.js';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const interruption = new AbortController();
const interrupt = (): void => {
  // A second interrupt, or one that is not handled in time, ends the process.
  if (interruption.signal.aborted) process.exit(EXIT.interrupted);
  interruption.abort(new Interrupted());
  setTimeout(() => process.exit(EXIT.interrupted), 1_000).unref();
};
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
// `slipway logs ... | head` has what it wants.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
);

const { stdin, stdout, stderr, env } = process;
const fetch = await createFetch(env);
process.exitCode = await runCli(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  env,
  fetch,
  signal: interruption.signal,
  version,
});
