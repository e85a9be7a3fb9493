import { Cron } from 'croner';

interface Schedule {
  cron: string;
  timeZone: string;
}

/** Five fields of digits, names, `*`, `,`, `-` and `/`: what every cron and Temporal's server read alike. */
const FIELDS = /^(?:[\dA-Za-z*,/-]+\s+){4}[\dA-Za-z*,/-]+$/;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
/** Names that a field may hold; letters such as `L` mean something to other readers alone. */
const NAMES: readonly (readonly string[])[] = [[], [], [], MONTHS, DAYS];

/** The fault of a schedule: no cron, no zone, a date that never comes, or one that cron dialects read differently. */
export function scheduleProblem({ cron, timeZone }: Schedule): string | undefined {
  if (zoneOf(timeZone) === undefined) return `"${timeZone}" is no IANA time zone, such as Europe/Paris`;
  if (!FIELDS.test(cron.trim())) return `"${cron}" must be five fields: minute, hour, day of month, month, day of week`;
  const fields = cron.trim().split(/\s+/);
  const stranger = fields.flatMap((field, at) => unknownNames(field, NAMES[at] ?? []))[0];
  if (stranger !== undefined)
    return `"${cron}" is no schedule: "${stranger}" is no name of a month or day in its place`;
  if (fields[2] !== '*' && fields[4] !== '*') {
    return `"${cron}" names days of the month and days of the week, which cron joins by "or" and Temporal by "and": one of the two must be *`;
  }
  try {
    if (nextTimes({ cron, timeZone }, 1).length > 0) return undefined;
  } catch (err) {
    return `"${cron}" is no schedule: ${err instanceof Error ? wordsOf(err) : String(err)}`;
  }
  return `"${cron}" never comes`;
}

/** The library counts months and days from 0 where it names them. */
const wordsOf = ({ message }: Error): string =>
  message.replace(/^CronPattern: /, '').replace(/(Invalid value for \w+): -?\d+/, '$1');

/** The next times, RFC 3339 UTC. */
export function nextTimes({ cron, timeZone }: Schedule, count: number, after = new Date()): string[] {
  return new Cron(cron, { timezone: timeZone, mode: '5-part' })
    .nextRuns(count, after)
    .map((time) => time.toISOString());
}

/** An IANA time zone by its canonical name, since only we are lenient about letters; `undefined` for anything else. */
export function zoneOf(name: string): string | undefined {
  if (/^[+-]/.test(name)) return undefined; // Node.js 22 and later take an offset for a zone, Temporal does not
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

const unknownNames = (field: string, names: readonly string[]): string[] =>
  (field.match(/[A-Za-z]+/g) ?? []).filter((word) => !names.includes(word.toUpperCase()));
