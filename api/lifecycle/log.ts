import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LogStore } from '../../platform/stores/logs.js';
import type { FollowLimit } from './follow-limit.js';
import { createLogOutput } from './log-output.js';
import type { LogOutput } from './log-output.js';
import type { LogQuery } from './log-query.js';
import type { ApiContext } from '../http/state.js';

/** One stored log; `label` precedes each of its lines. */
export interface LogPart {
  prefix: string;
  label?: string;
}

/** Whose log is read, and how to find out that nothing more will come. */
export interface LogSource {
  /** Since when it runs (RFC 3339). */
  since: string;
  /** Present parts; asked again and again while following, because replicas come and go. */
  parts(): Promise<readonly LogPart[]>;
  /** Whether the final state is stored: only then the stream may end, or a waiting client reads a stale state. */
  isOver(): Promise<boolean>;
}

export interface LogTimes {
  pollMs?: number;
  silenceMs?: number;
  /** How long a log may still grow after the end of its run. */
  graceMs?: number;
  /** The longest follow. */
  limitMs?: number;
}

interface SendLogOptions {
  follows: FollowLimit;
  logs: LogStore;
  logger: Logger;
  source: LogSource;
  query: LogQuery;
  times?: LogTimes;
}

/** Answers a log as chunked text and returns at once; the reading ends with the log or with the client's connection. */
export function sendLog(ctx: ApiContext, { follows, logs, logger, source, query, times = {} }: SendLogOptions): void {
  const { pollMs = 1_000, silenceMs = 8_000, graceMs = 5_000, limitMs = 3_600_000 } = times;
  const release = query.follow ? follows.take(ctx.state.caller.sub) : undefined;
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  const limit = query.follow ? setTimeout(() => gone.abort(), limitMs) : undefined;
  const { signal } = gone;
  const body = new PassThrough();
  ctx.status = 200;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.set({ 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' });
  ctx.body = body;
  ctx.flushHeaders();

  const beats = query.follow && query.heartbeat;
  const output = createLogOutput({ body, signal, ...(beats && { heartbeat: { since: source.since, silenceMs } }) });
  const reading = { logs, source, query, signal, output };
  void (query.follow ? follow(reading, { pollMs, graceMs }) : readOnce(reading))
    .catch((err: unknown) => {
      if (signal.aborted) return;
      // Text is out already: the connection breaks instead of ending like a complete log.
      logger.error({ err, requestId: ctx.state.requestId }, 'log cannot be read');
      ctx.res.destroy();
    })
    .finally(() => {
      clearTimeout(limit);
      release?.();
      output.end();
    });
}

interface Reading {
  logs: LogStore;
  source: LogSource;
  query: LogQuery;
  signal: AbortSignal;
  output: LogOutput;
}

async function readOnce(reading: Reading): Promise<void> {
  for (const part of await reading.source.parts()) await copy(reading, part);
}

async function follow(reading: Reading, { pollMs, graceMs }: { pollMs: number; graceMs: number }): Promise<void> {
  const { logs, source, signal } = reading;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const copies = new Map<string, Promise<void>>();
  try {
    for (let isOver = false; !isOver;) {
      // Asked before the parts: what is stored when the end is seen is copied as well.
      isOver = await source.isOver();
      for (const part of await source.parts()) {
        if (!copies.has(part.prefix)) copies.set(part.prefix, copy({ ...reading, signal: until }, part));
      }
      // A copy that breaks ends the whole follow; one that is complete waits with us for the final state.
      if (!isOver) await Promise.race([sleep(pollMs, undefined, { signal }), firstFailure([...copies.values()])]);
    }
    // A part that ended before its first line has no log to wait for.
    const begun = [...copies].map(async ([prefix, done]) => (await logs.exists(prefix)) && done);
    await Promise.race([Promise.all(begun), sleep(graceMs, undefined, { signal })]);
  } finally {
    over.abort();
    await Promise.allSettled(copies.values());
  }
}

/** Rejects with the first failure; never resolves, so that it can take part in a race. */
function firstFailure(work: readonly Promise<void>[]): Promise<never> {
  return new Promise((_resolve, reject) => work.forEach((item) => void item.catch(reject)));
}

async function copy({ logs, query, signal, output }: Reading, part: LogPart): Promise<void> {
  const skip = query.tail === undefined ? 0 : (await countLines(logs, part.prefix, signal)) - query.tail;
  const texts = logs.read(part.prefix, { follow: query.follow, signal });
  for await (const text of linesOf(texts, part, skip)) await output.write(text);
}

async function countLines(logs: LogStore, prefix: string, signal: AbortSignal): Promise<number> {
  let count = 0;
  if (!(await logs.exists(prefix))) return count;
  for await (const text of logs.read(prefix, { follow: false, signal })) count += text.split('\n').length - 1;
  return count;
}

/** Leaves out the first `skip` lines and labels the others. */
async function* linesOf(texts: AsyncIterable<string>, { label }: LogPart, skip: number): AsyncGenerator<string> {
  let left = Math.max(0, skip);
  for await (const text of texts) {
    const lines = text.split(/(?<=\n)/);
    const rest = lines.slice(left);
    left -= lines.length - rest.length;
    yield rest.map((line) => (label === undefined ? line : `[${label}] ${line}`)).join('');
  }
}
