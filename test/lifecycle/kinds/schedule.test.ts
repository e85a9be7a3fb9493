import { expect, test } from 'vitest';
import { nextTimes, scheduleProblem, zoneOf } from '../../../lifecycle/kinds/schedule.js';

const problem = (cron: string, timeZone = 'UTC') => scheduleProblem({ cron, timeZone });

// prettier-ignore
const ACCEPTED = [
  '* * * * *', '*/15 * * * *', '0-59/7 * * * *', '0 9-17/2 * * *', '0 6 * * 0', '0 6 * * 7', '0 6 * * SUN', '0 6 * * mon-fri',
  '0 6 1,15 * *', '0 6 */2 * *', '0 0 1 JAN,jul *', '0 0 1 jan-mar *', '0 0 29 2 *', ' 0\t6  * * 5-7 ',
];
test.each(ACCEPTED)('"%s" is a schedule', (cron) => {
  expect(problem(cron)).toBeUndefined();
});

const BOTH =
  'names days of the month and days of the week, which cron joins by "or" and Temporal by "and": one of the two must be *';
const FIVE = 'must be five fields: minute, hour, day of month, month, day of week';
// prettier-ignore
const REFUSED = [
  ['', FIVE], ['* * * *', FIVE], ['0 * * * * *', FIVE], ['@daily', FIVE], ['0 6 ? * MON', FIVE], ['0 6 * * 5#3', FIVE], ['0 6 * * * # x', FIVE],
  ['CRON_TZ=UTC 0 6 * *', FIVE],
  ['0 0 L * *', 'is no schedule: "L" is no name of a month or day in its place'],
  ['0 0 15W * *', 'is no schedule: "W" is no name of a month or day in its place'],
  ['0 0 * * 5L', 'is no schedule: "L" is no name of a month or day in its place'],
  ['0 0 * MON *', 'is no schedule: "MON" is no name of a month or day in its place'],
  ['0 0 * * JAN', 'is no schedule: "JAN" is no name of a month or day in its place'],
  ['0 0 * january *', 'is no schedule: "january" is no name of a month or day in its place'],
  ['0 0 31 2 *', 'never comes'], ['0 0 30 feb *', 'never comes'], ['0 0 31 4,6,9,11 *', 'never comes'],
  ['0 0 13 * FRI', BOTH], ['0 0 1-7 * 1', BOTH], ['0 0 */2 * */2', BOTH],
  ['60 * * * *', 'is no schedule: Invalid value for minute'],
  ['0 24 * * *', 'is no schedule: Invalid value for hour'],
  ['0 0 0 * *', 'is no schedule: Invalid value for day'],
  ['0 0 * 13 *', 'is no schedule: Invalid value for month'],
  ['0 0 * * 8', 'is no schedule: Invalid value for dayOfWeek'],
  ['*/0 * * * *', 'is no schedule: Syntax error, illegal stepping'],
  ['5/15 * * * *', 'is no schedule: Syntax error, stepping with numeric prefix'],
  ['0 22-4 * * *', 'is no schedule: From value is larger than to value'],
  ['1- * * * *', 'is no schedule: Syntax error'], [',1 * * * *', 'is no schedule:'], ['-5 * * * *', 'is no schedule: Syntax error'],
] as const;
test.each(REFUSED)('"%s" %s', (cron, message) => {
  expect(problem(cron)).toContain(`"${cron}" ${message}`);
});

test.each(['', 'Local', 'Europe/Bielefeld', '+01:00', 'UTC+1', '../etc/passwd'])('"%s" is no time zone', (zone) => {
  expect(problem('0 6 * * *', zone)).toBe(`"${zone}" is no IANA time zone, such as Europe/Paris`);
});

test('zones are known by their canonical names', () => {
  expect(['europe/paris', 'US/Eastern', 'utc'].map(zoneOf)).toEqual(['Europe/Paris', 'America/New_York', 'UTC']);
});

test('times are of the zone, with and without daylight saving', () => {
  const paris = { cron: '0 9 * * *', timeZone: 'Europe/Paris' };
  expect(nextTimes(paris, 3, new Date('2026-03-27T12:00:00Z'))).toEqual([
    '2026-03-28T08:00:00.000Z',
    '2026-03-29T07:00:00.000Z',
    '2026-03-30T07:00:00.000Z',
  ]);
  expect(nextTimes(paris, 2, new Date('2026-10-24T12:00:00Z'))).toEqual([
    '2026-10-25T08:00:00.000Z',
    '2026-10-26T08:00:00.000Z',
  ]);
  expect(nextTimes({ cron: '0 0 1 1 *', timeZone: 'Asia/Kolkata' }, 1, new Date('2026-06-01T00:00:00Z'))).toEqual([
    '2026-12-31T18:30:00.000Z',
  ]);
});

test('a leap day comes every four years', () => {
  expect(nextTimes({ cron: '0 0 29 2 *', timeZone: 'UTC' }, 2, new Date('2026-01-01T00:00:00Z'))).toEqual([
    '2028-02-29T00:00:00.000Z',
    '2032-02-29T00:00:00.000Z',
  ]);
});

test('a cron without end is refused in good time', () => {
  expect(problem(`${'1,'.repeat(400_000)} * * * *`)).toMatch(/is no schedule|must be five fields/);
});
