import { expect, test } from '@jest/globals';
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

/** What a person is told of a job that ended so. */
async function told(outcome: object | undefined, lines: readonly string[], exitCode = 2) {
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

test("a failed program's exit code and last words are told, not the runner's", async () => {
  const message = "the program ended with exit code 2: KeyError: 'alcohol'";
  expect(await told(own, TRACEBACK)).toEqual({ reason: 'ToolchainFailed', message, exitCode: 2 });
  expect(await told(undefined, TRACEBACK)).toMatchObject({ message });
});

test('a program that said nothing, or too much, is told in one short sentence', async () => {
  const message = 'the program ended with exit code 2';
  expect(await told(own, ['INFO === start', '=== train', 'slipway: the program ended with exit code 2'])).toMatchObject(
    { message },
  );
  const long = await told(own, ['x'.repeat(10_000)]);
  expect(long?.message).toBe(`${message}: ${'x'.repeat(500)}`);
});

test("what the runner found wrong stands in its own words; the program's exit code is the one that counts", async () => {
  const outcome = { reason: 'ModelCountWrong', message: 'exactly 1 model is needed, 0 were logged', userExitCode: 0 };
  expect(await told(outcome, TRACEBACK, 66)).toMatchObject({ message: outcome.message, exitCode: 0 });
});

test('a program that ended with a code of the runner is told with its own', async () => {
  const outcome = { ...own, userExitCode: 65 };
  expect(await told(outcome, ['no'], 1)).toMatchObject({ message: 'the program ended with exit code 65: no' });
});

test('of a container that was killed and is gone, it is told that it was killed from outside', async () => {
  const { engine } = createMemoryEngine();
  const exit = { exitCode: 137, outOfMemory: false };
  expect(failureIn(await jobFailed(engine, { name: 'taken-away' }, exit, { logTail: '' }))).toEqual({
    reason: 'Evicted',
    message: 'the container was killed from outside',
    exitCode: 137,
  });
});
