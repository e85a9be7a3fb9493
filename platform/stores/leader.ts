import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';

/** A task that any of several processes could do, and that one of them does at a time. */
export interface LeaderOptions {
  database: Database;
  task: string;
  /** Begins the task when this process becomes the leader. @returns ends it */
  lead: () => { stop(): Promise<void> };
  /** A process that dies is followed by another one at most so long, and a third, later. */
  termMs?: number;
  pollMs?: number;
  onError?: (err: unknown) => void;
}

type Claim = Row & { owner: string };

/**
 * Makes this process the leader of a task while no other is. Time is divided into terms; inserting the row of a term
 * decides who leads in it. The task must bear two leaders for a while: a process that was stopped goes on until it reads
 * the clock, and a leader goes on while the database is away, as no other one can begin then.
 */
export function runForLeader(options: LeaderOptions): { stop(): Promise<void> } {
  const { database, task, lead, termMs = 3_000, pollMs = 250, onError = () => {} } = options;
  const table = database.table<Claim>(collections.leader);
  const owner = randomUUID();
  const stopping = new AbortController();
  let leading: { stop(): Promise<void> } | undefined;
  /** The last term that this process leads in. */
  let last = -1;

  const rowId = (term: number): string => `${task}#${term}`;

  async function claim(term: number): Promise<boolean> {
    const found = await table.get(rowId(term));
    if (found !== undefined) return found.owner === owner;
    return table.insert({ _id: rowId(term), owner });
  }

  /** Removes the rows of terms that are over. */
  async function removeBefore(term: number): Promise<void> {
    for await (const { _id } of table.members([])) {
      const [name, number] = _id.split('#');
      if (name === task && Number(number) < term) await table.remove(_id);
    }
  }

  async function look(): Promise<void> {
    const nowMs = database.now().getTime();
    const term = Math.floor(nowMs / termMs);
    // A leader claims the next term before it begins.
    const wanted = last === term && nowMs % termMs >= (termMs * 2) / 3 ? term + 1 : term;
    if (wanted > last && (await claim(wanted))) {
      last = wanted;
      await removeBefore(term);
    }
    if (last >= term) leading ??= lead();
    else await resign();
  }

  async function resign(): Promise<void> {
    const ended = leading;
    leading = undefined;
    await ended?.stop();
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look().catch(onError);
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      await resign();
    },
  };
}
