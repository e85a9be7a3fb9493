import { InvalidArgumentError, type Command } from 'commander';
import { hasRun, outcomeOf, SlipwayApiError, type Entity, type Slipway } from '../../client/index.js';
import type { CliContext } from '../context.js';
import { OperationFailed } from '../failure.js';
import { nameOf, type Target } from '../kinds.js';
import { parseDuration } from '../output/time.js';
import { createDisplay } from './display.js';
import { follow } from './follow.js';
import { reportEnd } from './report-end.js';

export interface WaitingOptions {
  wait?: boolean;
  logs?: boolean;
  timeout?: number;
}

/** `--wait` and what belongs to it. */
export const withWaiting = (command: Command): Command =>
  withWaitDetails(command.option('--wait', 'wait for the end and show the progress'));

export const withWaitDetails = (command: Command): Command =>
  command
    .option('--logs', 'show the whole log while waiting')
    .option('--timeout <time>', 'maximum wait, such as 30m or 2h; the run continues afterwards', toMs);

function toMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('use a duration such as 90s, 30m or 1h30m.');
  return ms;
}

/**
 * Waits for all of them, side by side, and says how each ended.
 * @throws OperationFailed when one of them failed; timeout
 */
export async function finishAll(
  context: CliContext,
  slipway: Slipway,
  targets: readonly Target[],
  { logs = false, timeout }: WaitingOptions,
): Promise<Entity[]> {
  const { signal, terminal, now, pause } = context;
  const wanted = targets.filter(({ kind }) => hasRun(kind));
  if (wanted.length === 0) return [];
  const display = await createDisplay(context, { logs });
  const stopped = new AbortController();
  const both = AbortSignal.any([signal, stopped.signal]);
  try {
    const ends = await Promise.all(
      wanted.map((target) => follow({ slipway, target, display, signal: both, timeoutMs: timeout, now, pause })),
    );
    display.stop();
    for (const entity of ends) reportEnd(terminal, entity);
    if (ends.some((entity) => outcomeOf(entity) === 'failed')) throw new OperationFailed();
    return ends;
  } catch (error) {
    display.stop();
    const isLate = error instanceof SlipwayApiError && error.code === 'timeout';
    if (signal.aborted || isLate) sayHowToGoOn(context, wanted);
    throw error;
  } finally {
    stopped.abort();
  }
}

function sayHowToGoOn({ terminal }: CliContext, targets: readonly Target[]): void {
  const names = targets.map(nameOf);
  terminal.note(
    `${names.join(', ')} ${names.length > 1 ? 'continue' : 'continues'}; follow with "slipway wait ${names.join(' ')}"`,
  );
}
