import type { EngineDriver, Handle } from '../../platform/engines/driver.js';
import { runFailed } from '../../platform/kinds/reasons.js';
import { MOST_SLOWDOWN } from '../shared/ready-limit.js';
import type { CheckWatch } from './smoke-test.js';

/** How long the sample may take once the model is loaded. */
const ANSWER_SECONDS = 90;

/**
 * Waits for the end of a container whose command line was started with `self_check`, which runs `info` and `predict`.
 * @returns a sentence for the log
 * @throws run_failed, reason SelfCheckFailed
 */
export async function checkCommandLine(
  engine: EngineDriver,
  handle: Handle,
  { readySeconds, signal }: CheckWatch,
): Promise<string> {
  const limitMs = (readySeconds * MOST_SLOWDOWN + ANSWER_SECONDS) * 1_000;
  const overdue = AbortSignal.timeout(limitMs);
  const state = await engine.wait(handle, AbortSignal.any([signal, overdue])).catch((err: unknown) => {
    if (signal.aborted || !overdue.aborted) throw err;
    throw checkFailed(`it did not end within ${limitMs / 1_000} s`);
  });
  let last = 'no output';
  for await (const { text } of engine.logs(handle, { follow: false })) if (text.trim() !== '') last = text.trim();
  if (state?.phase !== 'exited' || state.exitCode !== 0) throw checkFailed(last.replace(/^slipway: /, ''));
  return last;
}

const checkFailed = (why: string): Error =>
  runFailed({
    reason: 'SelfCheckFailed',
    message: `the command line of the image does not work: ${why.slice(0, 500)}`,
  });
