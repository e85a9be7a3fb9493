import type { RecordIndex, UploadedPart } from './record-index.js';
import { HOUR_MS } from './record-path.js';

/** Which uploads a reader has seen. Kept as it is in a database, so small: one number per hour of the horizon. */
export interface UploadProgress {
  /** Earlier hours are closed; milliseconds since 1970. */
  since: number;
  /** The next counter per hour (`YYYYMMDDHH`). */
  seen: Record<string, number>;
}

/** An upload that was held up for longer is not waited for. */
const HORIZON_MS = 6 * HOUR_MS;

/** Uploads that are new, in their order; those after one that is younger than `settledBefore` wait for the next time. */
export async function newUploads(
  index: Pick<RecordIndex, 'parts'>,
  { since, seen }: UploadProgress,
  settledBefore = Infinity,
): Promise<UploadedPart[]> {
  const fresh: UploadedPart[] = [];
  for await (const part of index.parts(since)) if (part.n >= (seen[part.hour] ?? 0)) fresh.push(part);
  fresh.sort((a, b) => a.hour.localeCompare(b.hour) || a.n - b.n);
  const young = fresh.findIndex(({ uploadedAt }) => Date.parse(uploadedAt) > settledBefore);
  return young < 0 ? fresh : fresh.slice(0, young);
}

/** The progress after an upload was read. */
export function pass({ since, seen }: UploadProgress, { hour, n }: UploadedPart, now: number): UploadProgress {
  const horizon = Math.max(since, Math.floor((now - HORIZON_MS) / HOUR_MS) * HOUR_MS);
  const oldest = hourText(horizon);
  const kept = Object.entries({ ...seen, [hour]: n + 1 }).filter(([each]) => each >= oldest);
  return { since: horizon, seen: Object.fromEntries(kept) };
}

const hourText = (at: number): string => new Date(at).toISOString().slice(0, 13).replace(/[-T]/g, '');
