import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntryBase } from '../kinds/log-entry.js';
import { type Content, entryAfter, type EntryOffset, insertEntry } from './log-append.js';
import type { StreamLog } from './stream-log.js';

/** One process's offset in one stream: every entry, read or appended, is passed to `apply` in order and once. */
export interface LogFollower<E extends LogEntryBase> {
  readonly position: number;
  /** Time of the newest entry that was applied. */
  readonly at: string;
  /** Sets the offset, for example after a snapshot was restored; must be called before the first entry is read. */
  resumeAt(offset: EntryOffset): void;
  /** Upper bound of how old the applied state can be: time since the end of the log was last seen. */
  lagMs(): number;
  /** Reads to the end of the log. */
  catchUp(): Promise<void>;
  /**
   * Appends at the end; the entry is applied when this returns.
   * @param make called again after each lost race, with all earlier entries applied; `undefined` appends nothing
   * @throws unavailable: the entry may or may not be in the log
   */
  append(make: () => Content<E> | undefined): Promise<E | undefined>;
  /** @returns false when it is not reached in time */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  /** Polls from now on, until `stop`. */
  start(): void;
  stop(): Promise<void>;
}

export interface LogFollowerOptions<E extends LogEntryBase> {
  log: StreamLog<E>;
  apply: (entry: E) => void;
  /** Does the long work of an entry, with pauses, right before it is applied; undefined: there is none. */
  prepare?: (entry: E) => Promise<void> | undefined;
  now?: () => Date;
  onError?: (err: unknown) => void;
}

/** A pause as a share of the time since the last entry: an entry is found late by that share of the time between two. */
const PAUSE_SHARE = 1 / 8;
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** Concurrent point reads while catching up. */
const AHEAD = 16;

interface Waiter {
  position: number;
  resolve: () => void;
}

export const createLogFollower = <E extends LogEntryBase>(options: LogFollowerOptions<E>): LogFollower<E> =>
  new Follower(options);

class Follower<E extends LogEntryBase> implements LogFollower<E> {
  position = 0;
  at = '';
  private readonly options: Required<LogFollowerOptions<E>>;
  /** When the end of the log was last read, on a monotonic clock. */
  private atEnd = -Infinity;
  private readonly waiting = new Set<Waiter>();
  private readonly stopping = new AbortController();
  private polling: Promise<void> | undefined;
  private reading: Promise<void> | undefined;
  private preparing: { position: number; done: Promise<void> | undefined } | undefined;
  private appended: Promise<unknown> = Promise.resolve();

  constructor({
    prepare = () => undefined,
    now = () => new Date(),
    onError = () => {},
    ...options
  }: LogFollowerOptions<E>) {
    this.options = { ...options, prepare, now, onError };
  }

  resumeAt({ position, at }: EntryOffset): void {
    this.position = position;
    this.at = at;
  }

  lagMs(): number {
    return performance.now() - this.atEnd;
  }

  /** One read at a time; a caller during a read waits for the next one, as the current may have passed the end. */
  async catchUp(): Promise<void> {
    const before = this.reading;
    if (before !== undefined) await before.catch(() => {});
    this.reading ??= this.readToEnd().finally(() => (this.reading = undefined));
    await this.reading;
  }

  append(make: () => Content<E> | undefined): Promise<E | undefined> {
    // One after the other: concurrent appends would only take positions from each other.
    const mine = this.appended.then(() => this.appendNext(make));
    this.appended = mine.catch(() => {});
    return mine;
  }

  async waitFor(position: number, timeoutMs: number): Promise<boolean> {
    if (position <= this.position) return true;
    const timeout = new AbortController();
    const waiter = { position, resolve: () => timeout.abort() };
    this.waiting.add(waiter);
    await sleep(timeoutMs, undefined, { signal: timeout.signal }).catch(() => {});
    this.waiting.delete(waiter);
    return position <= this.position;
  }

  start(): void {
    this.polling ??= this.poll();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.polling;
  }

  /** Ignores any but the next entry: a poll and an append may bring the same one, even concurrently. */
  private async advance(entry: E): Promise<void> {
    if (entry.position !== this.position + 1) return;
    if (this.preparing?.position !== entry.position) {
      this.preparing = { position: entry.position, done: this.options.prepare(entry) };
    }
    if (this.preparing.done !== undefined) await this.preparing.done;
    if (entry.position !== this.position + 1) return;
    this.options.apply(entry);
    this.position = entry.position;
    this.at = entry.at;
    for (const waiter of this.waiting) if (waiter.position <= entry.position) waiter.resolve();
  }

  private async readToEnd(): Promise<void> {
    const { log } = this.options;
    const ahead: Promise<E | undefined>[] = [];
    for (let next = this.position + 1, width = 1; ; width = Math.min(AHEAD, width * 2)) {
      const began = performance.now();
      while (ahead.length < width) ahead.push(log.read(next + ahead.length));
      const entries = await Promise.all(ahead.splice(0));
      for (const entry of entries) {
        if (entry === undefined) {
          if (began > this.atEnd) this.atEnd = began;
          return;
        }
        await this.advance(entry);
        next += 1;
      }
      next = this.position + 1;
    }
  }

  private async poll(): Promise<void> {
    const { onError } = this.options;
    const { signal } = this.stopping;
    for (let entryAt = performance.now(); !signal.aborted;) {
      const before = this.position;
      await this.catchUp().catch(onError);
      if (this.position > before) entryAt = performance.now();
      const pauseMs = (performance.now() - entryAt) * PAUSE_SHARE;
      await sleep(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pauseMs)), undefined, { signal }).catch(
        () => {},
      );
    }
  }

  private async appendNext(make: () => Content<E> | undefined): Promise<E | undefined> {
    for (;;) {
      const content = make();
      if (content === undefined) return undefined;
      const began = performance.now();
      const entry = entryAfter<E>(this, content, this.options.now());
      if (await this.insert(entry)) {
        await this.advance(entry);
        this.atEnd = Math.max(this.atEnd, began);
        return entry;
      }
      if (this.position < entry.position) await this.catchUp();
    }
  }

  /** @returns whether the entry is in the log; false: another one has its position */
  private async insert(entry: E): Promise<boolean> {
    const result = await insertEntry(this.options.log, entry);
    if (!result.inserted && result.other !== undefined) await this.advance(result.other);
    return result.inserted;
  }
}
