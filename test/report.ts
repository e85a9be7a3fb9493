import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** The result of a run of vitest, as `TEST_REPORT` names the file of it. */
export interface TestReport {
  passed: number;
  skipped: number;
  /** The failed tests, hooks and files, and the errors outside of any: where, and how the message begins. */
  failures: string[];
  files: { name: string; seconds: number }[];
}

const MESSAGE_LINES = 30;

export class ReportFile implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const report: TestReport = {
      passed: count('passed'),
      skipped: count('skipped') + count('pending'),
      failures: [
        ...tests.map(failureOf),
        ...modules.map(brokenFile),
        ...unhandled.map((error) => `outside of any test\n${beginning(error)}`),
      ].filter((failure) => failure !== undefined),
      files: modules.map((module) => ({
        name: module.relativeModuleId,
        seconds: module.diagnostic().duration / 1_000,
      })),
    };
    writeFileSync(process.env.TEST_REPORT ?? '', JSON.stringify(report));
  }
}

function failureOf(test: TestCase): string | undefined {
  const { state, errors = [] } = test.result();
  if (state !== 'failed') return undefined;
  return `${test.module.relativeModuleId} > ${test.fullName}\n${errors.map(beginning).join('\n')}`;
}

/** A file that cannot be loaded, or whose hook fails, has no failed test of its own. */
function brokenFile(module: TestModule): string | undefined {
  const suites = [module, ...module.children.allSuites()];
  const errors = suites.flatMap((suite) => suite.errors());
  return errors.length === 0 ? undefined : `${module.relativeModuleId}\n${errors.map(beginning).join('\n')}`;
}

function beginning({ message, stack }: { message: string; stack?: string }): string {
  return (stack ?? message).split('\n').slice(0, MESSAGE_LINES).join('\n');
}
