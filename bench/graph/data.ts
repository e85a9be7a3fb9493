/** Positions with a location and two skills each: the rows that both sides serve. */
export const CUSTOMERS = 500;
const ROWS_OF_CUSTOMER = 20;
const LOCATIONS = 1_000;
const SKILLS = 600;
const FIRST_POSITION = 9_007_199_254_740_993n;
const FIRST_SKILL = 1_152_921_504_606_846_976n;
export const STATES = ['Open', 'Filled', 'On_Hold', 'Closed'];

export const QUERY = `query ($filter: String!) {
  positions(filter: $filter, first: 20) {
    nodes { id title staffing_status day_rate starts_on location { id name country } skills { id name } }
  }
}`;
export const filterOf = (customer: number): string => `customer.id == ${customer}`;
const AND_RATE = ' and day_rate >= ';
/** Returns a filter that no earlier request used: it matches the same rows, as no rate is so low. */
export const nextFilterOf = (customer: number, turn: number): string =>
  `${filterOf(customer)}${AND_RATE}${(turn / 1e7).toFixed(7)}`;
/** The queries, in the dialect of each service. */
export function readFilter(filter: string): { customer: string; leastRate: number } {
  const [first = '', rate = '0'] = filter.split(AND_RATE);
  return { customer: first.slice('customer.id == '.length), leastRate: Number(rate) };
}

const range = (length: number): number[] => Array.from({ length }, (_, n) => n);

export const skills = range(SKILLS).map((n) => ({ id: String(FIRST_SKILL + BigInt(n)), name: `Skill ${n}` }));
export const locations = range(LOCATIONS).map((n) => ({ id: String(n + 1), name: `Place ${n}`, country: 'BR' }));
export const positions = range(CUSTOMERS * ROWS_OF_CUSTOMER).map((n) => ({
  id: String(FIRST_POSITION + BigInt(n)),
  title: `Crane operator ${n}`,
  staffing_status: STATES[n % STATES.length] ?? '',
  customer: { id: String((n % CUSTOMERS) + 1) },
  location: { id: String(((n * 7_919) % LOCATIONS) + 1) },
  skills: [n % SKILLS, (n * 31 + 7) % SKILLS].map((at) => ({ id: skills[at]?.id ?? '' })),
  day_rate: 100.5 + (n % 900),
  starts_on: `2026-0${(n % 9) + 1}-15`,
}));
