const KILLED = 137;
/** Memory that counts as "all of it". */
const FULL = 0.98;
/** A program that fills its memory seldom does so evenly. */
const SLACK = 2;

/** What was seen of a container's memory while it ran; times are the engine's. */
export interface MemoryTrace {
  peakBytes: number;
  lastBytes: number;
  atMs: number;
  growthPerMs: number;
}

export function noteMemory(
  trace: MemoryTrace | undefined,
  { bytes, atMs }: { bytes: number; atMs: number },
): MemoryTrace {
  const elapsedMs = trace ? atMs - trace.atMs : 0;
  const growthPerMs = trace && elapsedMs > 0 ? Math.max(0, bytes - trace.lastBytes) / elapsedMs : 0;
  return { peakBytes: Math.max(trace?.peakBytes ?? 0, bytes), lastBytes: bytes, atMs, growthPerMs };
}

/** A limit of 0 is none. */
export function isFull(bytes: number, limit = 0): boolean {
  return limit > 0 && bytes >= FULL * limit;
}

/**
 * Podman on cgroup v1 does not tell that the kernel killed for memory (exit 137 is all there is), and keeps no peak.
 * It was the memory when all of it was seen in use, or when at its last pace it would have been by the end.
 */
export function wasOutOfMemory(
  trace: MemoryTrace | undefined,
  { exitCode, limit, finishedMs }: { exitCode: number; limit?: number; finishedMs: number },
): boolean {
  if (exitCode !== KILLED || !trace) return false;
  const atEnd = trace.lastBytes + SLACK * trace.growthPerMs * Math.max(0, finishedMs - trace.atMs);
  return isFull(Math.max(trace.peakBytes, atEnd), limit);
}
