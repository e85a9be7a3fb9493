import { Cron } from 'croner';

interface Schedule {
  cron: string;
  timeZone: string;
}

/** Five fields of digits, names, `*`, `,`, `-` and `/`: what every cron and Temporal's server read alike. */
const FIELDS = /^(?:[\dA-Za-z*,/-]+\s+){4}[\dA-Za-z*,/-]+$/;

/** What is wrong with a schedule: no cron, no zone, or a date that never comes. */
export function scheduleProblem({ cron, timeZone }: Schedule): string | undefined {
  if (!isTimeZone(timeZone)) return `"${timeZone}" is no IANA time zone, such as Europe/Paris`;
  if (!FIELDS.test(cron.trim())) return `"${cron}" must be five fields: minute, hour, day of month, month, day of week`;
  try {
    if (nextTimes({ cron, timeZone }, 1).length > 0) return undefined;
  } catch (err) {
    return `"${cron}" is no schedule: ${err instanceof Error ? err.message.replace(/^CronPattern: /, '') : String(err)}`;
  }
  return `"${cron}" never comes`;
}

/** The next times, RFC 3339 UTC. */
export function nextTimes({ cron, timeZone }: Schedule, count: number, after = new Date()): string[] {
  return new Cron(cron, { timezone: timeZone, mode: '5-part' })
    .nextRuns(count, after)
    .map((time) => time.toISOString());
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
