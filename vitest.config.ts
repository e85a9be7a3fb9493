import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ReportFile } from './test/report.js';

const STACK = 'test/**/*.stack.test.ts';
const FAULTS = 'test/**/*.faults.test.ts';
/** They need MinIO, which takes minutes to build: a command of its own runs them. */
const MINIO = 'test/**/*.minio.test.ts';
/** Unit tests that change their process for every file after them. */
const ALONE = [
  // The Temporal worker installs hooks on promises, which slow down all later code of the process.
  'test/workflows/replay.test.ts',
  // Each PGlite database holds some 100 MB of WebAssembly memory, which is released late.
  'test/receiver/sql.test.ts',
];

/**
 * The order of the tests on the stack: the longest files first, else one of them runs alone at the end. Beside the first
 * one, which builds the images that all models share, run tests that need none: two at once would build them twice.
 */
const ORDER = [
  'e2e/pipeline-faults.',
  'workflows/',
  'docs/commands.',
  'e2e/pipelines.',
  'e2e/faults.',
  'e2e/triggers.',
  'e2e/notifications.',
  'e2e/',
];

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = ORDER.findIndex((name) => moduleId.includes(`/test/${name}`));
      return found < 0 ? ORDER.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  // The platform is a Node.js program: nothing is served from a folder of public files.
  publicDir: false,
  test: {
    reporters: process.env.TEST_REPORT === undefined ? ['default'] : ['dot', new ReportFile()],
    // A busy machine is no failure; a hang still ends.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: InOrder },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [STACK, FAULTS, MINIO, ...ALONE],
          // The files of a worker share one module graph: each module is loaded once, not once for each file.
          isolate: false,
          // Many tests wait for times to pass: a third file uses the processors meanwhile.
          maxWorkers: 3,
          // Young objects of a test die before the collector looks at them.
          execArgv: ['--max-semi-space-size=64'],
        },
      },
      { extends: true, test: { name: 'minio', include: [MINIO] } },
      { extends: true, test: { name: 'unit-alone', include: ALONE, maxWorkers: 3 } },
      {
        extends: true,
        test: { name: 'stack', include: [STACK], globalSetup: 'test/with-stack.ts' },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: [FAULTS],
          globalSetup: 'test/with-stack.ts',
          // They kill services that all tests share: never beside others.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
