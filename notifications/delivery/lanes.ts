import TinyQueue from 'tinyqueue';

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

interface Turn {
  entry: Entry;
  at: number;
}
const inTime = (one: Turn, other: Turn): number => one.at - other.at;
const inOrder = (one: Turn, other: Turn): number => one.entry.sequence - other.entry.sequence;

export interface LanesOptions {
  mode: OrderingMode;
  /** How long a delivery may block its lane; `Infinity`: without limit. */
  maxBlockMs: number;
}

export function createLanes({ mode, maxBlockMs }: LanesOptions): Lanes {
  const entries = new Map<number, Entry>();
  const lanes = new Map<string, Entry[]>();
  // Heads of lanes and parked entries, before and after they are due. An entry that changed is queued again; its old turn
  // is skipped.
  const later = new TinyQueue<Turn>([], inTime);
  const due = new TinyQueue<Turn>([], inOrder);
  const parking = new TinyQueue<Turn>([], inTime);

  const laneOf = ({ sequence, subject }: WaitingDelivery): string =>
    mode === 'strict' ? '' : mode === 'none' ? String(sequence) : subject;

  const isFirst = (entry: Entry): boolean => entry.parked || lanes.get(entry.lane)?.[0] === entry;

  function queue(entry: Entry): void {
    if (!isFirst(entry) || entry.underWay) return;
    if (entry.dueAt < Infinity) later.push({ entry, at: entry.dueAt });
  }

  function watchBlock(entry: Entry): void {
    if (entry.parked || entry.blockedSince === undefined || maxBlockMs === Infinity) return;
    parking.push({ entry, at: entry.blockedSince + maxBlockMs });
  }

  /** Removes an entry from its lane and queues the next one. */
  function leaveLane(entry: Entry): void {
    const lane = lanes.get(entry.lane);
    if (lane === undefined) return;
    const at = lane.indexOf(entry);
    if (at >= 0) lane.splice(at, 1);
    const [next] = lane;
    if (next === undefined) lanes.delete(entry.lane);
    else if (at === 0) queue(next);
  }

  function topBlocking(): Turn | undefined {
    for (let top = parking.peek(); top !== undefined; top = parking.peek()) {
      if (entries.get(top.entry.sequence) === top.entry && !top.entry.parked) return top;
      parking.pop();
    }
    return undefined;
  }

  function park(now: number): void {
    for (let top = topBlocking(); top !== undefined && top.at <= now; top = topBlocking()) {
      top.entry.parked = true;
      leaveLane(top.entry);
    }
  }

  const isCurrent = ({ entry, at }: Turn): boolean =>
    entries.get(entry.sequence) === entry && !entry.underWay && entry.dueAt === at && isFirst(entry);

  function topOf(turns: TinyQueue<Turn>): Turn | undefined {
    for (let top = turns.peek(); top !== undefined; top = turns.peek()) {
      if (isCurrent(top)) return top;
      turns.pop();
    }
    return undefined;
  }

  function comeDue(now: number): void {
    for (let top = topOf(later); top !== undefined && top.at <= now; top = topOf(later)) {
      later.pop();
      due.push(top);
    }
  }

  return {
    add(waiting) {
      const entry: Entry = { ...waiting, lane: laneOf(waiting), underWay: false, parked: false };
      entries.set(entry.sequence, entry);
      const lane = lanes.get(entry.lane);
      if (lane === undefined) lanes.set(entry.lane, [entry]);
      else lane.push(entry);
      queue(entry);
      watchBlock(entry);
    },
    take(now) {
      park(now);
      comeDue(now);
      const top = topOf(due);
      if (top === undefined) return undefined;
      due.pop();
      top.entry.underWay = true;
      return top.entry;
    },
    later(sequence, { dueAt, blockedSince }) {
      const entry = entries.get(sequence);
      if (entry === undefined) return;
      entry.underWay = false;
      entry.dueAt = dueAt;
      if (blockedSince !== undefined && entry.blockedSince === undefined) {
        entry.blockedSince = blockedSince;
        watchBlock(entry);
      }
      queue(entry);
    },
    settled(sequence) {
      const entry = entries.get(sequence);
      if (entry === undefined) return;
      entries.delete(sequence);
      if (!entry.parked) leaveLane(entry);
    },
    nextAt: () => Math.min(...[topOf(due), topOf(later), topBlocking()].map((turn) => turn?.at ?? Infinity)),
    isUnderWay: (sequence) => entries.get(sequence)?.underWay ?? false,
    find: (sequence) => entries.get(sequence),
    isParked: (sequence) => entries.get(sequence)?.parked ?? false,
    all: () => entries.values(),
    get size() {
      return entries.size;
    },
  };
}
