import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../kinds/errors.js';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';

/** A call that carries an `Idempotency-Key`; `key` is the header's value. */
export interface IdempotentCall {
  caller: string;
  method: string;
  path: string;
  key: string;
  body: string | Buffer;
}

export interface StoredReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type Beginning =
  /** The first call: do the work, then tell its reply, or `abandon` when there is none worth keeping (5xx). */
  | { first: true; finish: (reply: StoredReply) => Promise<void>; abandon: () => Promise<void> }
  | { first: false; reply: StoredReply };

export interface IdempotencyStore {
  /**
   * Waits while the first call of this key is still running.
   * @throws idempotency_mismatch when the key came with another body
   */
  begin(call: IdempotentCall, signal?: AbortSignal): Promise<Beginning>;
  /** Removes records that are out of date; for a schedule. @returns how many records */
  purge(): Promise<number>;
}

interface Attempt extends Row {
  attempt: number;
  bodyHash: string;
  at: string;
  state: 'running' | 'abandoned' | 'done';
  reply?: StoredReply;
}

export interface IdempotencyOptions {
  database: Database;
  now?: () => Date;
  pollMs?: number;
  renewMs?: number;
}

/** For so long a repeat gets the first reply. */
export const KEPT_MS = 24 * 3_600_000;
/** A first call that has neither replied nor renewed its attempt for so long is taken for dead. */
const RUNNING_MS = 30_000;
/** A call that takes longer than this hangs, and is renewed no more. */
const LONGEST_MS = 15 * 60_000;

/**
 * A record is a chain of attempts `<hash>/<n>`, each inserted once and written only by whoever inserted it. An attempt
 * that died, was abandoned or is too old is followed by the next one; inserting it decides who goes on. A process that lives
 * renews its attempt in a row of its own, which no late write can put in the place of a reply.
 */
export function createIdempotency({
  database,
  now = database.now,
  pollMs = 100,
  renewMs = 5_000,
}: IdempotencyOptions): IdempotencyStore {
  const table = database.table<Attempt>(collections.idempotency);
  const ageMs = ({ at }: Attempt) => now().getTime() - Date.parse(at);

  async function isOver(attempt: Attempt): Promise<boolean> {
    if (attempt.state === 'abandoned') return true;
    if (attempt.state === 'done') return ageMs(attempt) > KEPT_MS;
    return ageMs(attempt) > RUNNING_MS && ageMs((await table.get(`${attempt._id}/renewed`)) ?? attempt) > RUNNING_MS;
  }

  /** @returns ends the renewal */
  function keepRenewing(row: Attempt): () => void {
    const end = (): void => clearInterval(timer);
    const timer = setInterval(() => {
      if (ageMs(row) > LONGEST_MS) return end();
      // While the database is away, no other process can begin either.
      table.put({ ...row, _id: `${row._id}/renewed`, at: now().toISOString() }).catch(() => {});
    }, renewMs).unref();
    return end;
  }

  async function lastAttempt(hash: string): Promise<Attempt | undefined> {
    for (let last: Attempt | undefined; ;) {
      const next = await table.get(`${hash}/${(last?.attempt ?? 0) + 1}`);
      if (next === undefined) return last;
      last = next;
    }
  }

  async function start(hash: string, attempt: number, bodyHash: string): Promise<Beginning | undefined> {
    const row: Attempt = { _id: `${hash}/${attempt}`, attempt, bodyHash, at: now().toISOString(), state: 'running' };
    if (!(await table.insert(row))) return undefined;
    const end = keepRenewing(row);
    return {
      first: true,
      finish: (reply) => table.put({ ...row, state: 'done', reply }).finally(end),
      abandon: () => table.put({ ...row, state: 'abandoned' }).finally(end),
    };
  }

  return {
    async begin({ caller, method, path, key, body }, signal) {
      const hash = sha256(JSON.stringify([caller, method, path, key]));
      const bodyHash = sha256(body);
      for (;;) {
        const last = await lastAttempt(hash);
        if (last === undefined || (await isOver(last))) {
          const begun = await start(hash, (last?.attempt ?? 0) + 1, bodyHash);
          if (begun !== undefined) return begun;
          continue;
        }
        if (last.bodyHash !== bodyHash) {
          throw new SlipwayError('idempotency_mismatch', 'this Idempotency-Key was used with another body');
        }
        if (last.reply !== undefined) return { first: false, reply: last.reply };
        await sleep(pollMs, undefined, { signal });
      }
    },

    async purge() {
      const chains = new Map<string, Attempt[]>();
      for await (const row of table.scan()) {
        const hash = row._id.slice(0, row._id.indexOf('/'));
        chains.set(hash, [...(chains.get(hash) ?? []), row]);
      }
      // Twice the time: a chain that is being taken up again just now is left alone.
      const old = [...chains.values()].filter((chain) => chain.every((attempt) => ageMs(attempt) >= 2 * KEPT_MS));
      // The last one first: a chain never has a hole in front of an attempt.
      await table.removeAll(old.flatMap((chain) => chain.sort((a, b) => b.attempt - a.attempt).map(({ _id }) => _id)));
      return old.length;
    },
  };
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
