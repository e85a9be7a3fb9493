import { createHash } from 'node:crypto';
import { MEMBERS, type MemberName, NAMES, SERVICES, type ServiceName } from './members.js';

/** A fault of one process; `cut` breaks its connections to a service, `silence` lets nothing pass on them. */
export type Fault =
  { how: 'kill' | 'stop'; member: MemberName } | { how: 'cut' | 'silence'; member: MemberName; service: ServiceName };

export type PlannedFault = Fault & { atMs: number; lastsMs: number };

export interface PlanOptions {
  seconds: number;
  /** The shortest and the longest fault, without a kill, which takes a second. */
  lastsSeconds: readonly [number, number];
  /** Between two faults of one row. */
  pauseSeconds: readonly [number, number];
  /** How many faults may go on at once, each on a process of its own. */
  rows?: number;
}

type Form = Pick<PlanOptions, 'lastsSeconds' | 'pauseSeconds'>;
export const LONG: Form = { lastsSeconds: [15, 120], pauseSeconds: [5, 15] };
/** For a minute. */
export const SHORT: Form = { lastsSeconds: [10, 15], pauseSeconds: [2, 4] };

const KILL_MS = 1_000;
/** After it a process may meet its next fault. */
const REST_MS = 5_000;

/** Returns the same faults for the same seed, in the order of their begin. Every fault occurs before one occurs again. */
export function planFaults(
  seed: number,
  { seconds, lastsSeconds, pauseSeconds, rows = 2 }: PlanOptions,
): PlannedFault[] {
  let drawn = 0;
  const draw = (): number => {
    drawn += 1;
    return createHash('sha256').update(`${seed}/cluster/${drawn}`).digest().readUInt32BE(0) / 2 ** 32;
  };
  const between = ([least, most]: readonly [number, number]): number => 1_000 * (least + draw() * (most - least));
  const planned: PlannedFault[] = [];
  const ends = Array.from({ length: rows }, () => 0);
  const deck: Fault[] = [];
  for (;;) {
    const row = ends.indexOf(Math.min(...ends));
    const atMs = (ends[row] ?? 0) + between(pauseSeconds);
    const isFree = ({ member }: Fault): boolean =>
      planned.every((each) => each.member !== member || each.atMs + each.lastsMs + REST_MS <= atMs);
    if (!deck.some(isFree)) deck.push(...shuffle(everyFault(draw), draw));
    const [fault] = deck.splice(deck.findIndex(isFree), 1);
    if (fault === undefined) throw new Error('there is no fault to plan');
    const lastsMs = fault.how === 'kill' ? KILL_MS : between(lastsSeconds);
    // Every fault ends within the time of the run.
    if (atMs + lastsMs > seconds * 1_000) break;
    ends[row] = atMs + lastsMs;
    planned.push({ ...fault, atMs: Math.round(atMs), lastsMs: Math.round(lastsMs) });
  }
  return planned.sort((one, other) => one.atMs - other.atMs);
}

/** Each process is killed and stopped once; one worker of three loses each service. */
function everyFault(draw: () => number): Fault[] {
  const workers = NAMES.filter((name) => MEMBERS[name] === 'worker');
  const partitions = (Object.keys(SERVICES) as ServiceName[]).flatMap((service) =>
    workers.map((member): Fault => ({ how: draw() < 0.5 ? 'cut' : 'silence', member, service })),
  );
  return [
    ...NAMES.map((member): Fault => ({ how: 'kill', member })),
    ...NAMES.map((member): Fault => ({ how: 'stop', member })),
    ...partitions,
  ];
}

function shuffle<T>(items: readonly T[], draw: () => number): T[] {
  return items
    .map((item) => ({ item, at: draw() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** Names a fault, such as `stop worker-2` and `silence worker-1 database`. */
export const nameOf = (fault: Fault): string =>
  `${fault.how} ${fault.member}${'service' in fault ? ` ${fault.service}` : ''}`;
