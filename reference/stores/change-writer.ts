import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, RowState, LogEntry } from '../dataset/change.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ChangeRecords } from './change-records.js';
import { createWriteBatches } from '../../platform/stores/write-batches.js';
import type { LogFollower } from '../../platform/stores/log-follower.js';

/** The state that a writer needs of the dataset: the process's own fold of its log. */
interface WriterView {
  latest(id: string): RowState | undefined;
  acceptsChange(change: Change): boolean;
  /** Generation of the declaration that new rows are validated against. */
  readonly generation: number;
}

export interface Write {
  /** Decimal. */
  id: string;
  actor: string;
  /** Hash of caller and `Idempotency-Key`. */
  key?: string;
  /**
   * Returns the state to write, or `undefined` to keep the current one; throws to refuse. Repeated on the newer state
   * after a lost race.
   * @param next version and time that the state will have
   */
  decide: (current: RowState | undefined, next: { version: number; at: string }) => ChangeDraft | undefined;
}
export type ChangeDraft = Pick<Change, 'body' | 'previous'>;

export interface ChangeResult {
  /** `undefined`: nothing had to be written. */
  change?: Change;
  /** State of the entity after this write. */
  state: RowState | undefined;
  /** Position in the log; of a write that changed nothing, the one that the state was read at. */
  position: number;
}

export interface ChangeWriter {
  /**
   * Returns when the change is in the log, and so in the state of every later reader.
   * @throws dataset.schema_conflict when a new declaration overtook it; write.conflict after too many lost races;
   * unavailable
   */
  write(write: Write): Promise<ChangeResult>;
  /** Appends a change that a dead writer left out of the log. */
  complete(change: Change): Promise<void>;
}

export interface ChangeWriterOptions {
  records: ChangeRecords;
  follower: LogFollower<LogEntry>;
  view: WriterView;
  /** How long the owner of a record that is not in the log yet is presumed alive. */
  ownerMs?: number;
  now?: () => Date;
}

const MOST = 500;
const MOST_BYTES = 2 ** 20;
const ROUNDS = 5;
const POLL_MS = 20;

export function createChangeWriter(options: ChangeWriterOptions): ChangeWriter {
  const { records, follower, view, ownerMs = 1_000, now = () => new Date() } = options;
  /** Own records whose entry could not be stored: they are appended with the next one. */
  const stranded: Change[] = [];

  const batches = createWriteBatches<Change, { position: number; accepted: boolean }>({
    most: MOST,
    mostBytes: MOST_BYTES,
    sizeOf: ({ body, previous }) => (body?.length ?? 0) + (previous?.length ?? 0),
    async flush(given) {
      const earlier = stranded.splice(0);
      const changes = [...earlier, ...given];
      let accepted = new Set<Change>();
      try {
        const entry = await follower.append(() => {
          const due = inTurn(changes, view);
          accepted = new Set(changes.filter((change) => view.acceptsChange(change)));
          if (due.length === 0) return undefined;
          const validated = due.map((change) =>
            accepted.has(change) ? change : { ...change, refused: true as const },
          );
          return { kind: 'changes', changes: validated };
        });
        const position = entry?.position ?? follower.position;
        return given.map((change) => ({ position, accepted: accepted.has(change) }));
      } catch (err) {
        stranded.push(...earlier);
        throw err;
      }
    },
  });

  async function list(change: Change): Promise<{ position: number; accepted: boolean }> {
    try {
      return await batches(change);
    } catch (err) {
      stranded.push(change);
      throw err;
    }
  }

  const isApplied = ({ id, version }: Change): boolean => (view.latest(id)?.version ?? 0) >= version;

  /** Waits for the owner of a record to append it to the log, and appends it itself after a time-out. */
  async function settle(change: Change): Promise<void> {
    const deadline = performance.now() + ownerMs;
    while (!isApplied(change) && performance.now() < deadline) {
      await follower.catchUp();
      if (!isApplied(change)) await sleep(POLL_MS);
    }
    if (!isApplied(change)) await list(change);
  }

  /** Returns the record of an earlier try of the same call, among the newest versions. */
  async function earlierTry({ id, key }: Write): Promise<Change | undefined> {
    const { version = 0 } = view.latest(id) ?? {};
    for (let tried = version; key !== undefined && tried > Math.max(0, version - ROUNDS); tried -= 1) {
      const change = await records.get(id, tried);
      if (change?.key === key) return change;
    }
    return undefined;
  }

  function draft(write: Write, current: RowState | undefined): Change | undefined {
    const { id, actor, key } = write;
    const version = (current?.version ?? 0) + 1;
    const time = now().toISOString();
    const at = current !== undefined && current.at > time ? current.at : time;
    const schema = view.generation;
    const wanted = write.decide(current, { version, at });
    return wanted && { ...wanted, id, version, at, actor, schema, commit: randomUUID(), ...(key && { key }) };
  }

  async function finish(change: Change): Promise<ChangeResult> {
    const { position, accepted } = await list(change);
    if (!accepted) {
      throw new SlipwayError('dataset.schema_conflict', 'the declaration of the dataset changed meanwhile');
    }
    return { change, state: stateOf(change), position };
  }

  return {
    async write(write) {
      for (let round = 0; ; round += 1) {
        const current = view.latest(write.id);
        let change: Change | undefined;
        try {
          change = draft(write, current);
        } catch (err) {
          // A call that is retried because its answer was lost finds its own effect.
          const done = await earlierTry(write);
          if (done === undefined) throw err;
          return { change: done, state: stateOf(done), position: follower.position };
        }
        if (change === undefined) return { state: current, position: follower.position };
        const there = await records.insert(change);
        const isOwn = there.commit === change.commit || (write.key !== undefined && there.key === write.key);
        if (isOwn) return finish(there);
        await settle(there);
        if (round === ROUNDS) {
          throw new SlipwayError('write.conflict', `entity ${write.id} is being changed concurrently: try again`);
        }
        await sleep(Math.random() * POLL_MS * 2 ** round);
      }
    },
    async complete(change) {
      if (!isApplied(change)) await settle(change);
    },
  };
}

const stateOf = ({ version, body, at }: Change): RowState => ({ version, body, at });

/** Selects the changes that the log lacks, each the next version of its entity: so the log has every change once. */
function inTurn(changes: readonly Change[], view: WriterView): Change[] {
  const versions = new Map<string, number>();
  return changes.filter(({ id, version }) => {
    const known = versions.get(id) ?? view.latest(id)?.version ?? 0;
    if (version === known + 1) versions.set(id, version);
    return version === known + 1;
  });
}
