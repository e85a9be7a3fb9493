import { Command, InvalidArgumentError } from 'commander';
import { parseSettings } from '../config.js';
import { SERVICE_NAMES, type ServiceName } from './service.js';
import { resetStack, stackStatus, startStack, stopStack } from './stack.js';

process.umask(0o077);
const settings = parseSettings(process.env);
const stateDir = settings.SLIPWAY_STATE_DIR;
// Progress goes to standard error, so that --json leaves nothing but the settings on standard output.
const report = (line: string) => console.error(line);

const program = new Command('npm run stack --')
  .description(
    'The embedded development stack: Temporal, MongoDB, object storage, registry, OpenID issuer and container engine.',
  )
  .addHelpText(
    'after',
    `
Data, logs and process records stand in ${stateDir} (SLIPWAY_STATE_DIR). A part whose address is set already, such as
MONGODB_URI, is yours and left alone. A second checkout on one machine sets SLIPWAY_PORT_BASE to the first of ten
free ports: gateway +0, API +1, Temporal +2, its Web UI +3, MongoDB +4, storage +5, registry +6, issuer +7,
health and metrics of API +8 and gateway +9.`,
  );

program
  .command('start', { isDefault: true })
  .description('start what does not run, attach to what does, and print the settings that lead there')
  .option('--only <names>', `some parts, by comma: ${SERVICE_NAMES.join(', ')}`, parseNames)
  .option('--json', 'print the settings as JSON')
  .action(async ({ only, json }: { only?: ServiceName[]; json?: boolean }) => {
    const found = await startStack({
      stateDir,
      portBase: settings.SLIPWAY_PORT_BASE,
      cacheDir: settings.SLIPWAY_CACHE_DIR,
      environment: process.env,
      only,
      report,
    });
    if (json) console.log(JSON.stringify(found));
    else for (const [name, value] of Object.entries(found)) console.log(`${name}=${hide(name, value)}`);
  });

program
  .command('status')
  .description('say what runs; exit code 3 when nothing does')
  .action(async () => {
    const parts = await stackStatus({ stateDir });
    for (const { name, pid, logFile } of parts) {
      console.log(`${name.padEnd(10)} ${pid ? `runs, pid ${pid}`.padEnd(20) : 'does not run'.padEnd(20)} ${logFile}`);
    }
    const NOT_RUNNING = 3; // as in the LSB's init scripts
    if (parts.every(({ pid }) => !pid)) process.exitCode = NOT_RUNNING;
  });

program
  .command('stop')
  .description('end what runs; data stays')
  .action(async () => {
    const stopped = await stopStack({ stateDir, report });
    console.log(stopped.length > 0 ? `stopped ${stopped.join(', ')}` : 'nothing ran');
  });

program
  .command('reset')
  .description('end what runs and remove its data; built binaries and images stay in the cache')
  .action(async () => {
    await resetStack({ stateDir, report });
    console.log(`removed ${stateDir}`);
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? `slipway stack: ${error.message}` : error);
  process.exitCode = 1;
}

function parseNames(text: string): ServiceName[] {
  return text.split(',').map((word) => {
    const name = SERVICE_NAMES.find((known) => known === word.trim());
    if (!name) throw new InvalidArgumentError(`"${word}" is none of ${SERVICE_NAMES.join(', ')}`);
    return name;
  });
}

function hide(name: string, value: string): string {
  return name === 'SLIPWAY_SECRET_KEY' ? '*****' : value;
}
