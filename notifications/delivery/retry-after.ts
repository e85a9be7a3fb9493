const MOST_MS = 24 * 3_600_000;
/** RFC 9110, section 5.6.7, as senders must write it. */
const IMF_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads when a `Retry-After` header allows the next attempt (RFC 9110, section 10.2.3): whole seconds or a date, at most a day
 * ahead. @returns undefined for other values
 */
export function parseRetryAfter(value: string, now: Date): Date | undefined {
  const text = value.trim();
  const at = /^\d{1,10}$/.test(text)
    ? now.getTime() + Number(text) * 1_000
    : IMF_DATE.test(text)
      ? Date.parse(text)
      : NaN;
  if (Number.isNaN(at)) return undefined;
  return new Date(Math.min(Math.max(at, now.getTime()), now.getTime() + MOST_MS));
}
