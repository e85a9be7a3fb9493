import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntryBase } from '../kinds/log-entry.js';
import { SlipwayError } from '../kinds/errors.js';
import type { StreamLog } from './stream-log.js';

type Content<E extends LogEntryBase> = E extends LogEntryBase ? Omit<E, keyof LogEntryBase> : never;

/** One process's place in one stream: everything that is read or appended goes through `apply`, in order and once. */
export interface LogFollower<E extends LogEntryBase> {
  readonly position: number;
  /** Time of the newest entry that was applied. */
  readonly at: string;
  /** Where the state stands from now on, such as after a snapshot was read; before the first entry is. */
  resumeAt(place: Pick<LogEntryBase, 'position' | 'at'>): void;
  /** Upper bound of how old the applied state can be: time since the end of the log was last seen. */
  lagMs(): number;
  /** Reads to the end of the log. */
  catchUp(): Promise<void>;
  /**
   * Appends at the end; the entry is applied when this returns.
   * @param make called anew after each lost position, with everything before it applied; `undefined` gives up
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
  /** Does what takes long of an entry, with pauses, right before it is applied; undefined: nothing does. */
  prepare?: (entry: E) => Promise<void> | undefined;
  /** Shortest and longest pause between two polls: short while entries come. */
  minPollMs?: number;
  maxPollMs?: number;
  now?: () => Date;
  onError?: (err: unknown) => void;
}

/** Point reads that are under way at once while catching up. */
const AHEAD = 16;
const APPEND_ATTEMPTS = 3;

export function createLogFollower<E extends LogEntryBase>(options: LogFollowerOptions<E>): LogFollower<E> {
  const { log, apply, prepare = () => undefined, minPollMs = 10, maxPollMs = 250 } = options;
  const { now = () => new Date(), onError = () => {} } = options;
  let position = 0;
  let at = '';
  let atEnd = -Infinity; // of a clock that never goes back
  const waiting = new Set<{ position: number; resolve: () => void }>();
  const stopping = new AbortController();
  let polling: Promise<void> | undefined;
  let reading: Promise<void> | undefined;

  let preparing: { position: number; done: Promise<void> | undefined } | undefined;

  /** What is not the next entry was applied already: a poll and an append may bring the same one, even at once. */
  async function advance(entry: E): Promise<void> {
    if (entry.position !== position + 1) return;
    if (preparing?.position !== entry.position) preparing = { position: entry.position, done: prepare(entry) };
    if (preparing.done !== undefined) await preparing.done;
    if (entry.position !== position + 1) return;
    apply(entry);
    ({ position, at } = entry);
    for (const waiter of waiting) if (waiter.position <= position) waiter.resolve();
  }

  async function readOn(): Promise<void> {
    const ahead: Promise<E | undefined>[] = [];
    for (let next = position + 1, width = 1; ; width = Math.min(AHEAD, width * 2)) {
      const began = performance.now();
      while (ahead.length < width) ahead.push(log.read(next + ahead.length));
      const entries = await Promise.all(ahead.splice(0));
      for (const entry of entries) {
        if (entry === undefined) {
          if (began > atEnd) atEnd = began;
          return;
        }
        await advance(entry);
        next += 1;
      }
      next = position + 1;
    }
  }

  /** One reading at a time; whoever asks meanwhile gets the next one, as the current may have passed the end. */
  async function catchUp(): Promise<void> {
    const before = reading;
    if (before !== undefined) await before.catch(() => {});
    reading ??= readOn().finally(() => (reading = undefined));
    await reading;
  }

  async function poll(): Promise<void> {
    for (let pauseMs = minPollMs; !stopping.signal.aborted;) {
      const before = position;
      await catchUp().catch(onError);
      pauseMs = position > before ? minPollMs : Math.min(maxPollMs, pauseMs * 2);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  /** @returns whether the entry is in the log; false: another one has its position */
  async function insertOnce(entry: E): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (await log.insert(entry)) return true;
        // Taken, perhaps by an earlier attempt of ours whose answer was lost.
        const other = await log.read(entry.position);
        if (other?.token === entry.token) return true;
        if (other !== undefined) await advance(other);
        return false;
      } catch (err) {
        const lost = err instanceof SlipwayError && err.code === 'unavailable';
        if (!lost || attempt === APPEND_ATTEMPTS) throw err;
      }
    }
  }

  async function appendNext(make: () => Content<E> | undefined): Promise<E | undefined> {
    for (;;) {
      const content = make();
      if (content === undefined) return undefined;
      const time = now().toISOString();
      const began = performance.now();
      const place = { position: position + 1, at: time > at ? time : at, token: randomUUID() };
      // Its two halves are together one member of the union.
      const entry = { ...content, ...place } as unknown as E;
      if (await insertOnce(entry)) {
        await advance(entry);
        atEnd = Math.max(atEnd, began);
        return entry;
      }
      if (position < entry.position) await catchUp();
    }
  }

  let appended: Promise<unknown> = Promise.resolve();

  return {
    get position() {
      return position;
    },
    get at() {
      return at;
    },
    resumeAt(place) {
      ({ position, at } = place);
    },
    lagMs: () => performance.now() - atEnd,
    catchUp,
    append(make) {
      // One after the other: they would only take positions from each other.
      const mine = appended.then(() => appendNext(make));
      appended = mine.catch(() => {});
      return mine;
    },
    async waitFor(wanted, timeoutMs) {
      if (wanted <= position) return true;
      const patience = new AbortController();
      const waiter = { position: wanted, resolve: () => patience.abort() };
      waiting.add(waiter);
      await sleep(timeoutMs, undefined, { signal: patience.signal }).catch(() => {});
      waiting.delete(waiter);
      return wanted <= position;
    },
    start() {
      polling ??= poll();
    },
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}
