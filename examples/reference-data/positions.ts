import { createDraw } from './random.js';

export interface Position {
  id: bigint;
  title: string;
  status: string;
  customer: { id: bigint; name: string };
  location: bigint;
  skills: bigint[];
  dayRate: number;
  startsOn: string;
}

/** 2^53 + 1: the first id that no double holds. */
const FIRST_ID = 9_007_199_254_740_993n;
const COUNT = 20_000;
const CUSTOMERS = 400;
/** One of 64 bits, among those of few digits. */
const LARGE_CUSTOMER = 4_060_741_400_035_622_411n;
const MOST_SKILLS = 4;

const TRADES = [
  'Crane operator',
  'Welder',
  'Electrician',
  'Site manager',
  'Surveyor',
  'Plumber',
  'Painter',
  'Nurse',
  'Laboratory technician',
  'Truck driver',
  'Pastry chef',
  'Software engineer',
];
const RANKS = ['Junior', 'Senior', 'Lead', ''];
const STATUSES = ['Open', 'Open', 'Filled', 'Filled', 'On Hold', 'Closed'];
const SYLLABLES = ['nor', 'vik', 'dal', 'sten', 'berg', 'ald', 'ker', 'mon', 'tes', 'lin'];
const FORMS = ['AB', 'GmbH', 'Ltd', 'SA', 'Oy'];
const DAY_MS = 86_400_000;

export interface PositionsOptions {
  /** Ids of what there is to refer to. */
  locations: readonly bigint[];
  skills: readonly bigint[];
  seed?: number;
}

/** 20,000 positions, the same for the same seed, places and skills. */
export function positions({ locations, skills, seed = 3 }: PositionsOptions): Position[] {
  const { below, pick } = createDraw(seed);
  const name = () => {
    const text = pick(SYLLABLES) + pick(SYLLABLES);
    return `${text.charAt(0).toUpperCase()}${text.slice(1)} ${pick(FORMS)}`;
  };
  const customers = Array.from({ length: CUSTOMERS }, (_, at) => ({
    id: at === 0 ? LARGE_CUSTOMER : BigInt(at),
    name: name(),
  }));
  const first = Date.UTC(2026, 0, 1);
  return Array.from({ length: COUNT }, (_, at) => {
    const title = `${pick(RANKS)} ${pick(TRADES)}`.trim();
    const asked = Array.from({ length: below(MOST_SKILLS) }, () => pick(skills));
    return {
      id: FIRST_ID + BigInt(at),
      title: title.charAt(0) + title.slice(1).toLowerCase(),
      status: pick(STATUSES),
      customer: pick(customers),
      location: pick(locations),
      skills: [...new Set(asked)],
      dayRate: 200 + below(1_600) / 2,
      startsOn: new Date(first + below(730) * DAY_MS).toISOString().slice(0, 10),
    };
  });
}
