import { CUSTOMERS, createRandom } from './positions.js';

export interface Query {
  name: string;
  /** Milliseconds at p99 that the goal allows. */
  bar?: number;
  runs: number;
  order?: string;
  text: (random: () => number) => string;
}

const customer = (random: () => number) => 1 + Math.floor(random() * CUSTOMERS);
const random = createRandom(7);
const rates = (count: number) => Array.from({ length: count }, () => `day_rate == ${Math.floor(random() * 2_000)}.5`);

// prettier-ignore
export const QUERIES: readonly Query[] = [
  { name: 'one customer', bar: 5, runs: 2_000, text: (next) => `customer.id == ${customer(next)}` },
  { name: 'one customer, open, dearest first', bar: 5, runs: 2_000, order: 'day_rate desc', text: (next) => `staffing_status == Open and customer.id == ${customer(next)}` },
  { name: 'one of five customers and a range', bar: 5, runs: 2_000, text: (next) => `customer.id =in= (${Array.from({ length: 5 }, () => customer(next)).join(',')}) and day_rate > 1000` },
  { name: 'one location', bar: 5, runs: 2_000, text: (next) => `location.id == ${1 + Math.floor(next() * 100_000)}` },
  { name: 'one id', bar: 5, runs: 2_000, text: (next) => `id == ${9_007_199_254_740_993n + BigInt(Math.floor(next() * 100_000))}` },
  { name: 'a skill of 600', bar: 150, runs: 200, text: (next) => `skills.id == ${1_152_921_504_606_846_976n + BigInt(Math.floor(next() * 600))}` },
  { name: 'a quarter of all, by index', bar: 150, runs: 100, text: () => 'staffing_status == Open' },
  { name: "the specification's filter", bar: 150, runs: 100, text: () => 'staffing_status == Open and customer.id != 4060741400035622411' },
  { name: 'a range, no index', bar: 150, runs: 100, text: () => 'day_rate > 1900' },
  { name: 'half of all, no index, dearest first', bar: 150, runs: 50, order: 'day_rate desc', text: () => 'day_rate > 1000 and remote == false or head_count < 25' },
  { name: 'two ranges and a flag, no index', bar: 150, runs: 100, text: () => 'day_rate =between= (500,600) and starts_on >= 2027-01-01 and remote == true' },
  { name: 'not, no index', bar: 150, runs: 100, text: () => 'not(staffing_status == Open or remote == true)' },
  { name: 'a pattern over 700,000 texts', bar: 150, runs: 50, text: () => 'title =like= "*crane*9?"' },
  { name: 'the same by title', bar: 150, runs: 20, order: 'title', text: () => 'title =like= "*e*9*"' },
  { name: '100 terms, no index', runs: 3, text: () => rates(100).join(' or ') },
  { name: '100 patterns, no index', runs: 3, text: () => Array.from({ length: 100 }, (_, at) => `title =like= "*x${at}*"`).join(' or ') },
];

// prettier-ignore
export const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ['8 KiB of (', '('.repeat(8_192)],
  ['8 KiB of not(', 'not('.repeat(2_048)],
  ['8 KiB of )', ')'.repeat(8_192)],
  ['8 KiB of quotes', '"'.repeat(8_191)],
  ['8 KiB of backslashes', `title=="${'\\'.repeat(8_100)}`],
  ['8 KiB of one word', 'a'.repeat(8_192)],
  ['8 KiB of words', 'a '.repeat(4_096)],
  ['100 unknown fields', 'titel==a;'.repeat(100)],
  ['500 wrong values', `staffing_status=in=(${'Opne,'.repeat(499)}Opne)`],
  ['500 right values', `head_count=in=(${Array.from({ length: 500 }, (_, at) => at).join(',')})`],
  ['$where', '$where == "sleep(1000)"'],
  ['__proto__', '__proto__.polluted == true'],
  ['8 KiB of *a', `title=like="${'*a'.repeat(4_000)}*b"`],
  ['8 KiB of ?*', `title=like="${'?*'.repeat(4_000)}b"`],
  ['1 MiB', '('.repeat(2 ** 20)],
];
