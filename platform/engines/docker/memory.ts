const KILLED = 137;
/** Memory that counts as "all of it". */
const FULL = 0.98;
/** A program that fills its memory seldom does so evenly. */
const SLACK = 2;
/** As long as the kernel may take to free what a killed program had. */
const DYING_MS = 1_000;

/** One look at a container's memory; times are the engine's. */
export interface MemoryNote {
  bytes: number;
  atMs: number;
  /** Since the look before. */
  growthPerMs: number;
}

/** The observed memory of a container while it ran. */
export interface MemoryTrace {
  peak: MemoryNote;
  last: MemoryNote;
}

/** At its start it used nothing: so one look is enough for a pace, where a busy machine allows no more than one. */
export function traceFrom(startedMs: number): MemoryTrace {
  const nothing = { bytes: 0, atMs: startedMs, growthPerMs: 0 };
  return { peak: nothing, last: nothing };
}

export function noteMemory(
  trace: MemoryTrace | undefined,
  { bytes, atMs }: { bytes: number; atMs: number },
): MemoryTrace {
  const elapsedMs = trace ? atMs - trace.last.atMs : 0;
  const growthPerMs = trace && elapsedMs > 0 ? Math.max(0, bytes - trace.last.bytes) / elapsedMs : 0;
  const last = { bytes, atMs, growthPerMs };
  return { peak: trace && trace.peak.bytes > bytes ? trace.peak : last, last };
}

/** A limit of 0 is none. */
export function isFull(bytes: number, limit = 0): boolean {
  return limit > 0 && bytes >= FULL * limit;
}

/**
 * Podman on cgroup v1 does not tell that the kernel killed for memory (exit 137 is all there is), and keeps no peak.
 * It was the memory when all of it was seen in use, or when at its last pace it would have been by the end. A program that
 * is being taken apart has less and less: what counts then is its pace before.
 */
export function wasOutOfMemory(
  trace: MemoryTrace | undefined,
  { exitCode, limit, finishedMs }: { exitCode: number; limit?: number; finishedMs: number },
): boolean {
  if (exitCode !== KILLED || !trace) return false;
  const { peak, last } = trace;
  const atEnd = ({ bytes, atMs, growthPerMs }: MemoryNote): number =>
    bytes + SLACK * growthPerMs * Math.max(0, finishedMs - atMs);
  const wasDying = finishedMs - peak.atMs <= DYING_MS;
  return isFull(Math.max(peak.bytes, atEnd(last), wasDying ? atEnd(peak) : 0), limit);
}
