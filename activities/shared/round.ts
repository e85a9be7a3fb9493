import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal, Context, log } from '@temporalio/activity';
import { unavailable } from '../../platform/kinds/errors.js';
import type { LoopItem } from '../../platform/kinds/loop-items.js';
import { joinResults, type RoundPosition, type RoundResult } from '../../platform/kinds/round.js';
import { describe, visibleMessage } from './failures.js';
import { whileBeating } from './heartbeat.js';

/** For parts whose items wait for Temporal and the stores most of their time, and none for another. */
export const SOME_AT_ONCE = 4;

/** Items of one kind, ordered by name. */
export interface RoundPart {
  name: string;
  items: () => AsyncIterable<LoopItem> | Iterable<LoopItem>;
  /** How many items are acted on at the same time, where none depends on another; by default one. */
  atOnce?: number;
}

export interface RoundOptions {
  /** Continues a round whose last turn ran out of time. */
  from?: RoundPosition | undefined;
  /** After this time a turn ends before its next item. */
  turnMs?: number;
  /** An item that takes longer is skipped. */
  itemMs?: number;
  /** Called with what an item did. */
  onDone?: (done: Record<string, number>) => void;
  /** Called for each item that is skipped. */
  onSkipped?: () => void;
  now?: () => number;
}

/**
 * Runs one turn of a round: acts on each item of all parts apart. An item that fails or hangs is skipped and named; a
 * part whose items cannot be read holds up no other part. The caller continues the round at `next`.
 */
export async function runTurn(parts: readonly RoundPart[], options: RoundOptions = {}): Promise<RoundResult> {
  return whileBeating(() => Promise.race([runParts(parts, options), Context.current().cancelled]));
}

async function runParts(parts: readonly RoundPart[], options: RoundOptions): Promise<RoundResult> {
  const { from, turnMs = 60_000, now = Date.now } = options;
  const signal = cancellationSignal();
  const endsAt = now() + turnMs;
  let result: RoundResult = { done: {}, skipped: [] };
  let next: RoundPosition | undefined;
  let acted = false;

  async function startItems({ name, items, atOnce = 1 }: RoundPart, underWay: Set<Promise<void>>): Promise<void> {
    for await (const item of items()) {
      signal.throwIfAborted();
      if (name === from?.part && item.name < from.item) continue;
      // Each turn acts on at least one item, so that every round comes to its end.
      if (acted && now() >= endsAt) {
        next = { part: name, item: item.name };
        return;
      }
      acted = true;
      const action = actOn(name, item, options).then((each) => {
        underWay.delete(action);
        result = joinResults(result, each);
      });
      underWay.add(action);
      if (underWay.size >= atOnce) await Promise.race(underWay);
    }
  }

  /** Ends when all items that were started have ended, also when the next ones cannot be read. */
  async function runPart(part: RoundPart): Promise<void> {
    const underWay = new Set<Promise<void>>();
    await startItems(part, underWay).finally(() => Promise.all(underWay));
  }

  const first = parts.findIndex(({ name }) => name === from?.part);
  for (const part of parts.slice(Math.max(0, first))) {
    await runPart(part).catch((err: unknown) => {
      signal.throwIfAborted();
      log.warn('the items of a loop could not be read', { part: part.name, cause: describe(err) });
      result = joinResults(result, { done: {}, skipped: [], failed: [`${part.name}: ${visibleMessage(err)}`] });
    });
    if (next !== undefined) break;
  }
  return { ...result, ...(next && { next }) };
}

async function actOn(
  part: string,
  item: LoopItem,
  { itemMs = 30_000, onDone, onSkipped }: RoundOptions,
): Promise<RoundResult> {
  try {
    const done = (await within(itemMs, item.act)) ?? {};
    onDone?.(done);
    return { done, skipped: [] };
  } catch (err) {
    cancellationSignal().throwIfAborted();
    const message = visibleMessage(err);
    log.warn('an item was skipped; the next round tries it again', {
      ...{ part, item: item.name, message },
      cause: describe(err),
    });
    onSkipped?.();
    return { done: { skipped: 1 }, skipped: [`${part} ${item.name}: ${message}`] };
  }
}

/** @throws unavailable when the work takes longer; what it began goes on unattended */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const limit = sleep(ms, undefined, { signal: ended.signal }).then((): never => {
    throw unavailable(`it took longer than ${ms / 1_000} s`);
  });
  try {
    return await Promise.race([work(), limit]);
  } finally {
    ended.abort();
  }
}
