import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { stopTestStack } from './stack/test-stack.js';

/** What a step found; a check that is not made of tests counts as one. */
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Step {
  title: string;
  run: () => Promise<Counts>;
}

const REPORTS = '.slipway-test/reports';
const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --no-warnings`.trim();

/** What stands in one row runs at the same time. */
const WITHOUT_SERVICES: readonly Step[][] = [
  [
    { title: 'format', run: () => check('prettier', ['--check', '--log-level', 'warn', '.']) },
    { title: 'lint', run: () => check('eslint', ['.', '--max-warnings', '0']) },
    { title: 'arrows', run: () => check('depcruise', ['--config', '.dependency-cruiser.js', '.']) },
    { title: 'unused', run: () => check('knip', ['--no-progress']) },
    { title: 'types', run: () => check('tsc', ['--noEmit']) },
  ],
  [{ title: 'unit tests', run: () => jest('unit', ['--maxWorkers', '2']) }],
];
const WITH_SERVICES: readonly Step[][] = [
  [{ title: 'tests on the embedded stack', run: () => jest('stack', ['--maxWorkers', '2']) }],
  [
    // They mostly wait for what they killed.
    { title: 'tests that kill services', run: () => jest('faults', ['--runInBand']) },
    { title: 'Python tests', run: () => pytest() },
  ],
];

async function check(command: string, args: string[]): Promise<Counts> {
  const { exitCode } = await execa(command, args, { preferLocal: true, stdio: 'inherit', reject: false });
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

interface JestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
  success: boolean;
}

async function jest(project: string, args: string[]): Promise<Counts> {
  const outputFile = join(REPORTS, `${project}.json`);
  rmSync(outputFile, { force: true });
  const options = ['--selectProjects', project, '--json', '--outputFile', outputFile, ...args];
  await execa('jest', options, {
    preferLocal: true,
    env: { NODE_OPTIONS },
    stdin: 'ignore',
    // With --json jest prints its report on standard output; the human one goes to standard error.
    stdout: 'ignore',
    stderr: 'inherit',
    reject: false,
  });
  const report = JSON.parse(readFileSync(outputFile, 'utf8')) as JestReport;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && !report.success ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

async function pytest(): Promise<Counts> {
  const { stdout, exitCode } = await execa('sh', ['runtime/test.sh'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    reject: false,
  });
  console.log(stdout); // in one piece, as other tests print meanwhile
  const count = (word: string): number =>
    Number(new RegExp(`(\\d+) ${word}`).exec(stdout.split('\n').at(-1) ?? '')?.[1] ?? 0);
  const failed = count('failed') + count('errors?');
  return { passed: count('passed'), failed: failed === 0 && exitCode !== 0 ? 1 : failed, skipped: count('skipped') };
}

if (process.argv.includes('--help')) {
  console.log('npm test                every check\nnpm run test:unit       what needs no service');
  process.exit(0);
}

mkdirSync(REPORTS, { recursive: true });
const onlyUnit = process.argv.includes('--unit');
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
const times: string[] = [];
for (const row of onlyUnit ? WITHOUT_SERVICES : [...WITHOUT_SERVICES, ...WITH_SERVICES]) {
  console.log(`\n=== ${row.map(({ title }) => title).join(', ')}`);
  await Promise.all(row.map(take));
}
if (!onlyUnit) await stopTestStack();
console.log(`\n${times.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

async function take({ title, run }: Step): Promise<void> {
  const begun = performance.now();
  const found = await run().catch((err: unknown) => {
    console.error(err);
    return { passed: 0, failed: 1, skipped: 0 };
  });
  total.passed += found.passed;
  total.failed += found.failed;
  total.skipped += found.skipped;
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  times.push(
    `${seconds.padStart(8)} s  ${title}: ${found.passed} passed, ${found.failed} failed, ${found.skipped} skipped`,
  );
}
