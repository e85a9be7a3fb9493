import { expect, test } from 'vitest';
import { startJob } from '../../../activities/shared/job.js';
import { jobFailed } from '../../../activities/training/training-job.js';
import { failureIn } from '../../../platform/kinds/reasons.js';
import { tarOf } from '../shared/archives.js';
import { createMemoryEngine } from '../shared/memory-engine.js';

const limits = { cpus: 1, memoryBytes: 1 };
const spec = { name: 'job', image: 'i', command: [], env: {}, labels: {}, network: 'none' as const, limits };
const TRACEBACK = [
  'INFO === start',
  '=== train',
  'epoch 1',
  'Traceback (most recent call last):',
  '  File "train.py", line 3, in <module>',
  "KeyError: 'alcohol'",
  '',
  'slipway: the program ended with exit code 2',
];

/** The public failure of a job that ended so. */
async function failureOf(outcome: object | undefined, lines: readonly string[], exitCode = 2) {
  const { engine, container } = createMemoryEngine();
  const handle = await startJob(engine, spec, async () => {});
  if (outcome) {
    const content = JSON.stringify(outcome);
    container('job').outputs['/workspace/output/.slipway'] = await tarOf([{ name: '.slipway/outcome.json', content }]);
  }
  const exit = { exitCode, outOfMemory: false };
  return failureIn(await jobFailed(engine, handle, exit, { logTail: lines.join('\n') }));
}

const own = { reason: 'UserCodeFailed', message: 'the program ended with exit code 2', userExitCode: 2 };

test("a failed program's exit code and last line are reported, not the runner's", async () => {
  const message = "the program ended with exit code 2: KeyError: 'alcohol'";
  expect(await failureOf(own, TRACEBACK)).toEqual({ reason: 'ToolchainFailed', message, exitCode: 2 });
  expect(await failureOf(undefined, TRACEBACK)).toMatchObject({ message });
});

test('a program that said nothing, or too much, is reported in one short sentence', async () => {
  const message = 'the program ended with exit code 2';
  expect(
    await failureOf(own, ['INFO === start', '=== train', 'slipway: the program ended with exit code 2']),
  ).toMatchObject({ message });
  const long = await failureOf(own, ['x'.repeat(10_000)]);
  expect(long?.message).toBe(`${message}: ${'x'.repeat(500)}`);
});

test("the message of a failed runner is its own; the program's exit code is the one that counts", async () => {
  const outcome = { reason: 'ModelCountWrong', message: 'exactly 1 model is needed, 0 were logged', userExitCode: 0 };
  expect(await failureOf(outcome, TRACEBACK, 66)).toMatchObject({ message: outcome.message, exitCode: 0 });
});

test('a program that ended with a code of the runner is reported with its own', async () => {
  const outcome = { ...own, userExitCode: 65 };
  expect(await failureOf(outcome, ['no'], 1)).toMatchObject({ message: 'the program ended with exit code 65: no' });
});

test('a container that was killed and is gone was killed from outside', async () => {
  const { engine } = createMemoryEngine();
  const exit = { exitCode: 137, outOfMemory: false };
  expect(failureIn(await jobFailed(engine, { name: 'taken-away' }, exit, { logTail: '' }))).toEqual({
    reason: 'Evicted',
    message: 'the container was killed from outside',
    exitCode: 137,
  });
});
