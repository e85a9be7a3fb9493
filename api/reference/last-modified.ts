/** Texts such as `Sun, 22 Nov 2026 ` by the day of a change. */
const days = new Map<string, string>();
const KEPT_DAYS = 1_000;

/** Formats the time of the last change, with which a stored row ends (`2026-11-22T09:30:12.114Z`), in whole seconds. */
export function lastModifiedOf(bytes: Buffer): string {
  const time = bytes.toString('latin1', bytes.length - 26, bytes.length - 2);
  return `${dayOf(time.slice(0, 10))}${time.slice(11, 19)} GMT`;
}

function dayOf(date: string): string {
  const known = days.get(date);
  if (known !== undefined) return known;
  if (days.size >= KEPT_DAYS) days.clear();
  const text = new Date(date).toUTCString().slice(0, -'00:00:00 GMT'.length);
  days.set(date, text);
  return text;
}
