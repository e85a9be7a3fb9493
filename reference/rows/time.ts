const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const DAY_MS = 86_400_000;

/** Parses a date from 0001-01-01 to 9999-12-31, such as `2026-03-01`, to days since 1970-01-01. */
export function parseDate(text: string): number | undefined {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  const at = new Date(0);
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month does not have overflows into the next month.
  return Number(year) > 0 && at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day)
    ? at.getTime() / DAY_MS
    : undefined;
}

export const formatDate = (days: number): string => formatTimestamp(days * DAY_MS).slice(0, 10);

/**
 * Parses a time of RFC 3339 with its offset, such as `2026-03-01T08:00:00.250+01:00`, to milliseconds since 1970-01-01
 * UTC. Finer fractions are refused rather than truncated, and so are leap seconds.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, date = '', hours, minutes, seconds, fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] =
    TIMESTAMP.exec(text) ?? [];
  const days = parseDate(date);
  if (days === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const local = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1_000;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const at = days * DAY_MS + local + Number(fraction.padEnd(3, '0')) - offset;
  return at >= FIRST && at <= LAST ? at : undefined;
}

/** Formats in UTC with milliseconds, so that the order of the texts is the order of the times. */
export const formatTimestamp = (ms: number): string => new Date(ms).toISOString();

const FIRST = new Date('0001-01-01T00:00:00Z').getTime();
const LAST = new Date('9999-12-31T23:59:59.999Z').getTime();
