import { createPace, type Pace } from '../../notifications/delivery/pace.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { Recovery, RecoveryPosition } from '../../notifications/kinds/recovery.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import type { OutboxEntry, Outbox } from '../../notifications/stores/outbox.js';
import type { Recoveries } from '../../notifications/stores/recoveries.js';
import { createRecoveryMatcher } from './recovery-matcher.js';
import { countStep, readCandidate, type RecoveryCandidate, recoveryStepOf } from './recovery-step.js';

export interface RecoveryRunnerOptions {
  subscription: Subscription;
  outbox: Outbox;
  ledger: AttemptLedger;
  recoveries: Recoveries;
  /** Position of the last drain. */
  from: RecoveryPosition | undefined;
  /** Queues a reopened delivery; `episode` is the one that the recovery started. */
  requeue: (sequence: number, episode: number) => Promise<void>;
  /** Whether the in-flight window has room for one more delivery. */
  hasRoom: () => boolean;
  now: () => Date;
}

/** Runs recoveries and replays, the orders to send deliveries again, beside the dispatcher. */
export interface RecoveryRunner {
  /** Stored with the progress. */
  readonly position: RecoveryPosition | undefined;
  /** Loads the next recovery when none is running. */
  refresh(): Promise<void>;
  /** Processes some deliveries. @returns whether the position moved */
  step(): Promise<boolean>;
  /** Whether a recovery has passed a delivery, by the saved position and by this runner. */
  hasPassed(recovery: number, sequence: number): boolean;
  /** Time of the next step in milliseconds; `Infinity` without a recovery or without room. */
  nextAt(): number;
}

interface RunningRecovery {
  recovery: Recovery;
  matches: (event: OutboxEvent) => boolean;
  pace: Pace;
}

const READS_AT_ONCE = 50;

export function createRecoveryRunner(options: RecoveryRunnerOptions): RecoveryRunner {
  const { subscription, outbox, ledger, recoveries, requeue, hasRoom, now } = options;
  const { id } = subscription;
  let position = options.from;
  let running: RunningRecovery | undefined;

  async function refresh(): Promise<void> {
    if (running !== undefined) return;
    const number = position === undefined ? 1 : position.done ? position.number + 1 : position.number;
    const recovery = await recoveries.read(id, number);
    if (recovery === undefined) return;
    if (position?.number !== number) {
      position = { number, next: recovery.first, examined: 0, matched: 0, reopened: 0, done: false };
    }
    const matches = createRecoveryMatcher(recovery.spec, subscription);
    running = { recovery, matches, pace: createPace(recovery.spec.per_second, { since: position.openedAt }) };
  }

  /** @returns the position after the delivery; undefined when it has to wait for room or for the pace */
  async function apply(
    candidate: RecoveryCandidate,
    { recovery, pace }: RunningRecovery,
    at: RecoveryPosition,
  ): Promise<RecoveryPosition | undefined> {
    const { sequence } = candidate;
    const step = recoveryStepOf(candidate, recovery, at.number);
    const after = countStep(at, step);
    // Also a delivery that is settled since: its new end has to be counted.
    if (step.kind === 'reopened') await requeue(sequence, step.episode);
    if (step.kind !== 'reopen') return after;
    const time = now();
    if (!hasRoom() || pace.nextAt() > time.getTime()) return undefined;
    pace.started(time.getTime());
    const reopening = { episode: step.episode, at: time.toISOString(), actor: recovery.actor, order: at.number };
    await ledger.reopen({ subscription: id, sequence }, reopening);
    await requeue(sequence, step.episode);
    return { ...after, openedAt: time.getTime() };
  }

  async function readMatches({ recovery, matches }: RunningRecovery, from: number) {
    const matching: OutboxEntry[] = [];
    let last = from - 1;
    if (from > recovery.last) return { matching, last };
    for await (const entry of outbox.walk(id, from, 'up')) {
      last = entry.event.sequence;
      if (matches(entry.event)) matching.push(entry);
      const isFull = last - from + 1 >= 10 * READS_AT_ONCE || matching.length === READS_AT_ONCE;
      if (last === recovery.last || isFull) break;
    }
    return { matching, last };
  }

  async function finish(at: RecoveryPosition): Promise<void> {
    const { number, examined, matched, reopened } = at;
    await recoveries.end(id, number, { examined, matched, reopened, at: now().toISOString() });
    position = { ...at, done: true };
    running = undefined;
    await refresh();
  }

  return {
    get position() {
      return position;
    },
    refresh,
    async step() {
      const begin = position;
      if (running === undefined || begin === undefined || begin.done) return false;
      const { matching, last } = await readMatches(running, begin.next);
      if (last < begin.next) {
        await finish(begin);
        return true;
      }
      let at = begin;
      for (const candidate of await Promise.all(matching.map((entry) => readCandidate(ledger, subscription, entry)))) {
        const after = await apply(candidate, running, at);
        if (after === undefined) {
          position = { ...at, examined: at.examined + candidate.sequence - at.next, next: candidate.sequence };
          return candidate.sequence > begin.next;
        }
        at = after;
      }
      position = { ...at, examined: at.examined + last - at.next + 1, next: last + 1 };
      return true;
    },
    hasPassed: (recovery, sequence) =>
      position !== undefined &&
      (recovery < position.number || (recovery === position.number && (position.done || sequence < position.next))),
    nextAt: () => (running === undefined || !hasRoom() ? Infinity : Math.max(now().getTime(), running.pace.nextAt())),
  };
}
