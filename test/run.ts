import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { execa } from 'execa';
import type { TestReport } from './report.js';
import { stopTestStack } from './stack/test-stack.js';

/** The result counts of a step; a check without tests counts as one. */
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

const LINT_CACHE = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/'];

/** The steps of a row run at the same time. */
const STATIC_CHECKS: readonly Step[][] = [
  [
    { title: 'format', run: () => check('prettier', ['--check', '--cache', '--log-level', 'warn', '.']) },
    // Cached by content: only a fresh clone, which has no cache, finds what a type of another file has changed.
    { title: 'lint', run: () => check('eslint', ['.', '--max-warnings', '0', ...LINT_CACHE]) },
    { title: 'arrows', run: () => check('depcruise', ['--config', '.dependency-cruiser.js', '.']) },
    { title: 'unused', run: () => check('knip', ['--no-progress']) },
    { title: 'types', run: () => check('tsc', ['--noEmit']) },
  ],
];
const UNIT_TESTS: readonly Step[][] = [[{ title: 'unit tests', run: () => vitest('unit', 'unit-alone') }]];
const WITH_SERVICES: readonly Step[][] = [
  [{ title: 'tests on the embedded stack', run: () => vitest('stack') }],
  [
    // On a stack of their own; they mostly wait for services to come back.
    { title: 'tests that kill services', run: () => vitest('faults') },
    { title: 'Python tests', run: () => pytest() },
  ],
];
const SLOWEST_FILES = 20;

async function check(command: string, args: string[]): Promise<Counts> {
  const { exitCode } = await execa(command, args, { preferLocal: true, stdio: 'inherit', reject: false });
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

async function vitest(...projects: string[]): Promise<Counts> {
  const outputFile = resolve(REPORTS, `${projects[0] ?? ''}.json`);
  rmSync(outputFile, { force: true });
  const named = projects.flatMap((project) => ['--project', project]);
  const { exitCode } = await execa('vitest', ['run', ...named], {
    preferLocal: true,
    env: { NO_COLOR: '1', TEST_REPORT: outputFile }, // with colors, each dot has its codes
    stdio: ['ignore', 'inherit', 'inherit'],
    reject: false,
  });
  const report = JSON.parse(readFileSync(outputFile, 'utf8')) as TestReport;
  fileTimes.push(...report.files);
  failures.push(...report.failures);
  const { passed, skipped } = report;
  const failed = report.failures.length;
  return { passed, skipped, failed: failed === 0 && exitCode !== 0 ? 1 : failed };
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
  console.log('npm test                every check');
  console.log('npm run test:static     format, lint, arrows and types');
  console.log('npm run test:unit       the unit tests: no service needed');
  process.exit(0);
}

const only = ['--static', '--unit'].find((flag) => process.argv.includes(flag));
const rows =
  {
    '--static': STATIC_CHECKS,
    '--unit': UNIT_TESTS,
    all: [...STATIC_CHECKS, ...UNIT_TESTS, ...WITH_SERVICES],
  }[only ?? 'all'] ?? [];
mkdirSync(REPORTS, { recursive: true });
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
const stepTimes: string[] = [];
const fileTimes: TestReport['files'] = [];
const failures: string[] = [];
for (const row of rows) {
  console.log(`\n=== ${row.map(({ title }) => title).join(', ')}`);
  await Promise.all(row.map(take));
}
if (only === undefined) await stopTestStack();
printSlowestFiles();
for (const failure of failures) console.log(`\nFAILED  ${failure}`);
console.log(`\n${stepTimes.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

function printSlowestFiles(): void {
  const slowest = fileTimes.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_FILES);
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}`);
}

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
  stepTimes.push(
    `${seconds.padStart(8)} s  ${title}: ${found.passed} passed, ${found.failed} failed, ${found.skipped} skipped`,
  );
}
