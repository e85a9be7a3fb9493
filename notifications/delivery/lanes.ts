import { createLaneTable } from './lane-table.js';
import { createTurnQueue, type Turn } from './turn-queue.js';

export type OrderingMode = 'entity' | 'strict' | 'none';

/** An unsettled delivery in its lane. */
export interface WaitingDelivery {
  sequence: number;
  /** Stream and subject, such as `positions/42`: its lane when the order is by entity. */
  subject: string;
  /** When its next step is due, in milliseconds since 1970; `Infinity`: it waits for an operator. */
  dueAt: number;
  /** Since when it blocks its lane: the start of its first attempt. */
  blockedSince?: number;
}

/**
 * The order of deliveries: one at a time per lane, by sequence. Among the due ones the oldest comes first, so that a
 * backlog of new deliveries does not delay retries.
 */
export interface Lanes {
  /** In order of sequence, each once. */
  add(waiting: WaitingDelivery): void;
  /** @returns the next due delivery; it counts as in flight until `later` or `settled` */
  take(now: number): WaitingDelivery | undefined;
  later(sequence: number, when: { dueAt: number; blockedSince?: number }): void;
  settled(sequence: number): void;
  /** @returns when `take` may return a delivery again; `Infinity` when that needs a call before */
  nextAt(): number;
  isUnderWay(sequence: number): boolean;
  /** `undefined` for one that is not there. */
  find(sequence: number): Readonly<WaitingDelivery> | undefined;
  /** Whether it blocked its lane for too long, so that the lane continues without it. */
  isParked(sequence: number): boolean;
  all(): Iterable<WaitingDelivery>;
  readonly size: number;
}

interface Entry extends WaitingDelivery {
  lane: string;
  underWay: boolean;
  parked: boolean;
}

const inTime = (one: Turn<Entry>, other: Turn<Entry>): number => one.at - other.at;
const inOrder = (one: Turn<Entry>, other: Turn<Entry>): number => one.entry.sequence - other.entry.sequence;

export interface LanesOptions {
  mode: OrderingMode;
  /** How long a delivery may block its lane; `Infinity`: without limit. */
  maxBlockMs: number;
}

export function createLanes({ mode, maxBlockMs }: LanesOptions): Lanes {
  const entries = new Map<number, Entry>();
  const lanes = createLaneTable<Entry>();
  const isNext = (entry: Entry): boolean => entry.parked || lanes.isHead(entry);
  const isCurrent = ({ entry, at }: Turn<Entry>): boolean =>
    entries.get(entry.sequence) === entry && !entry.underWay && entry.dueAt === at && isNext(entry);
  const isBlocking = ({ entry }: Turn<Entry>): boolean => entries.get(entry.sequence) === entry && !entry.parked;
  // Heads of lanes and parked entries, before and after they are due.
  const later = createTurnQueue({ order: inTime, isCurrent });
  const due = createTurnQueue({ order: inOrder, isCurrent });
  const parking = createTurnQueue({ order: inTime, isCurrent: isBlocking });

  function queue(entry: Entry): void {
    if (!isNext(entry) || entry.underWay) return;
    if (entry.dueAt < Infinity) later.push({ entry, at: entry.dueAt });
  }

  function watchBlock(entry: Entry): void {
    if (entry.parked || entry.blockedSince === undefined || maxBlockMs === Infinity) return;
    parking.push({ entry, at: entry.blockedSince + maxBlockMs });
  }

  function leaveLane(entry: Entry): void {
    const next = lanes.leave(entry);
    if (next !== undefined) queue(next);
  }

  function park(now: number): void {
    for (let top = parking.top(); top !== undefined && top.at <= now; top = parking.top()) {
      top.entry.parked = true;
      leaveLane(top.entry);
    }
  }

  function comeDue(now: number): void {
    for (let top = later.top(); top !== undefined && top.at <= now; top = later.top()) {
      later.pop();
      due.push(top);
    }
  }

  return {
    add(waiting) {
      const entry: Entry = { ...waiting, lane: laneOf(mode, waiting), underWay: false, parked: false };
      entries.set(entry.sequence, entry);
      lanes.add(entry);
      queue(entry);
      watchBlock(entry);
    },
    take(now) {
      park(now);
      comeDue(now);
      const top = due.top();
      if (top === undefined) return undefined;
      due.pop();
      top.entry.underWay = true;
      return top.entry;
    },
    later(sequence, when) {
      const entry = entries.get(sequence);
      if (entry === undefined) return;
      if (postpone(entry, when)) watchBlock(entry);
      queue(entry);
    },
    settled(sequence) {
      const entry = entries.get(sequence);
      if (entry === undefined) return;
      entries.delete(sequence);
      if (!entry.parked) leaveLane(entry);
    },
    nextAt: () => Math.min(timeOf(due.top()), timeOf(later.top()), timeOf(parking.top())),
    isUnderWay: (sequence) => entries.get(sequence)?.underWay ?? false,
    find: (sequence) => entries.get(sequence),
    isParked: (sequence) => entries.get(sequence)?.parked ?? false,
    all: () => entries.values(),
    get size() {
      return entries.size;
    },
  };
}

const laneOf = (mode: OrderingMode, { sequence, subject }: WaitingDelivery): string =>
  mode === 'strict' ? '' : mode === 'none' ? String(sequence) : subject;

const timeOf = (turn: Turn<Entry> | undefined): number => turn?.at ?? Infinity;

/** Ends a step that did not settle the delivery. @returns whether it blocks its lane from now on */
function postpone(entry: Entry, { dueAt, blockedSince }: Pick<WaitingDelivery, 'dueAt' | 'blockedSince'>): boolean {
  entry.underWay = false;
  entry.dueAt = dueAt;
  if (blockedSince === undefined || entry.blockedSince !== undefined) return false;
  entry.blockedSince = blockedSince;
  return true;
}
