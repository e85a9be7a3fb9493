/** Settings of the autoscaler; times in milliseconds. */
export interface AutoscalerSettings {
  /** Between two decisions. */
  tickMs: number;
  stableMs: number;
  panicMs: number;
  /** Without a call for so long, no replica is needed. */
  idleMs: number;
  /** A lower number counts once it was decided for so long. */
  delayMs: number;
}

/** Calls at once that one replica should have: 70 % of the 10 that it may have. */
const TARGET = 7;
/** Panic begins when the short window needs so many times the ready replicas. */
const PANIC_THRESHOLD = 2;
const UP_RATE = 10;
const DOWN_RATE = 2;

/** The times of an installation: the other windows are shares of the stable one, as Knative has them. */
export const autoscalerSettings = ({ stableMs = 60_000, idleMs = 60_000 } = {}): AutoscalerSettings => ({
  ...{ tickMs: Math.min(2_000, stableMs / 5), stableMs, panicMs: stableMs / 10, idleMs, delayMs: stableMs / 2 },
});

/** The facts of one tick. */
export interface Observation {
  atMs: number;
  /** Calls in flight and queued, on average since the last tick. */
  concurrency: number;
  /** Replicas that take calls. */
  ready: number;
  min: number;
  max: number;
  /** Whether all gateways report: without one, the calls may be more than is known. */
  isComplete: boolean;
}

export interface AutoscalerState {
  /** The number of replicas to have. */
  desired: number;
  startedAtMs: number;
  /** When a call was in progress last. */
  busyAtMs: number;
  samples: readonly { atMs: number; concurrency: number }[];
  /** Numbers that were decided within the delay. */
  decisions: readonly { atMs: number; desired: number }[];
  /** Panic lasts until then. */
  panicUntilMs: number;
}

/** Begins with a known number of replicas; at zero it stays until a call comes. */
export const startAutoscaler = (atMs: number, desired: number): AutoscalerState => ({
  ...{ desired, startedAtMs: atMs, busyAtMs: desired === 0 ? -Infinity : atMs },
  ...{ samples: [], decisions: [], panicUntilMs: -Infinity },
});

/**
 * Decides how many replicas a deployment needs, as Knative's autoscaler does: by the concurrency of a stable window, and
 * in panic by that of a short one, where the number only rises. It falls to zero only after `idleMs` without a call.
 */
export function autoscaler(
  state: AutoscalerState,
  { atMs, concurrency, ready, min, max, isComplete }: Observation,
  settings: AutoscalerSettings,
): AutoscalerState {
  const samples = [...state.samples, { atMs, concurrency }].filter((each) => each.atMs > atMs - settings.stableMs);
  const busyAtMs = concurrency > 0 || !isComplete ? atMs : state.busyAtMs;
  const needed = (windowMs: number): number => Math.ceil(average(samples, atMs - windowMs) / TARGET);
  const want = (windowMs: number): number =>
    clamp(needed(windowMs), Math.floor(ready / DOWN_RATE), UP_RATE * Math.max(1, ready));

  const isPanic = needed(settings.panicMs) >= PANIC_THRESHOLD * Math.max(1, ready);
  const panicUntilMs = isPanic ? atMs + settings.stableMs : state.panicUntilMs;
  const stable = want(settings.stableMs);
  const raised = atMs < panicUntilMs ? Math.max(stable, want(settings.panicMs), state.desired) : stable;

  const isIdle = atMs - busyAtMs >= settings.idleMs;
  const bounded = clamp(isIdle ? Math.floor(ready / DOWN_RATE) : Math.max(1, raised), min, max);
  const decisions = [...state.decisions, { atMs, desired: bounded }].filter(
    (each) => each.atMs > atMs - settings.delayMs,
  );
  // Windows that do not reach back far enough know too little for a lower number.
  const isCovered = atMs - state.startedAtMs >= settings.stableMs || isIdle;
  const delayed = Math.max(...decisions.map(({ desired }) => desired), isCovered && isComplete ? 0 : state.desired);
  const desired = clamp(isIdle && isComplete ? bounded : delayed, min, max);
  return { desired, startedAtMs: state.startedAtMs, busyAtMs, samples, decisions, panicUntilMs };
}

function average(samples: AutoscalerState['samples'], sinceMs: number): number {
  const within = samples.filter(({ atMs }) => atMs > sinceMs);
  return within.reduce((sum, { concurrency }) => sum + concurrency, 0) / Math.max(1, within.length);
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
