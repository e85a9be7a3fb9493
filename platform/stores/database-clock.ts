export interface DatabaseClock {
  /** The time of the database's clock, by this process's clock and their difference. */
  now: () => Date;
  /** Takes in what the server's clock showed when it wrote an answer that has just arrived. Milliseconds. */
  note(serverMs: number): void;
  /** The difference of the database's clock to this process's clock. Milliseconds. */
  offsetMs(): number;
}

/** Readings that count: a server is asked about each second. */
const READINGS = 16;
/** A smaller difference is the way of the answer, and no fault of a clock. */
const DEAD_BAND_MS = 100;

/**
 * One clock for all processes of an installation. An answer only ever arrives late, which makes the server's clock look
 * slow: of several readings the one that shows the largest time is the nearest.
 */
export function createDatabaseClock(ownMs: () => number = Date.now): DatabaseClock {
  const readings: number[] = [];
  let offsetMs = 0;
  return {
    now: () => new Date(ownMs() + offsetMs),
    note(serverMs) {
      readings.push(serverMs - ownMs());
      if (readings.length > READINGS) readings.shift();
      const nearest = Math.max(...readings);
      offsetMs = Math.abs(nearest) <= DEAD_BAND_MS ? 0 : nearest;
    },
    offsetMs: () => offsetMs,
  };
}
