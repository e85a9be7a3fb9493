import { leavesOf } from '../../reference/dataset/dataset-leaves.js';
import { acceptDataset } from '../../reference/dataset/dataset-validation.js';

export const { spec } = acceptDataset('positions', {
  spec: {
    fields: {
      title: { type: 'text', required: true },
      staffing_status: { type: 'enum', values: ['Open', 'Filled', 'On Hold', 'Closed'] },
      customer: { type: 'object', fields: { id: { type: 'id' }, name: { type: 'text' } } },
      location: { type: 'ref', dataset: 'locations' },
      skills: { type: 'list', of: { type: 'ref', dataset: 'skills' } },
      head_count: { type: 'integer' },
      day_rate: { type: 'decimal' },
      remote: { type: 'boolean' },
      starts_on: { type: 'date' },
    },
  },
});
export const target = { dataset: 'positions', leaves: leavesOf(spec) };

export const FIRST_ID = 9_007_199_254_740_993n;
export const CUSTOMERS = 5_000;
const LOCATIONS = 100_000;
const SKILLS = 600;
const STATUSES = ['Open', 'Filled', 'On Hold', 'Closed'];
const TRADES = ['Crane operator', 'Welder', 'Electrician', 'Site manager', 'Surveyor', 'Plumber', 'Painter', 'Nurse'];

/** Mulberry32: the same numbers for the same seed, below 1. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A stored row, in the bytes of the row writer. */
export function storedRow(index: number, random: () => number): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const customer = below(CUSTOMERS) + 1;
  const skills = Array.from(
    { length: below(4) },
    () => `{"id":"${1_152_921_504_606_846_976n + BigInt(below(SKILLS))}"}`,
  );
  const day = `20${26 + below(3)}-${String(1 + below(12)).padStart(2, '0')}-${String(1 + below(28)).padStart(2, '0')}`;
  const fields = [
    `"title":"${TRADES[below(TRADES.length)]} ${below(100_000)}"`,
    `"staffing_status":"${STATUSES[below(STATUSES.length)]}"`,
    `"customer":{"id":"${customer}","name":"Customer ${customer}"}`,
    `"location":{"id":"${1 + below(LOCATIONS)}"}`,
    `"skills":[${skills.join(',')}]`,
    `"head_count":${below(50)}`,
    `"day_rate":${(below(200_000) / 100).toString()}`,
    `"remote":${random() < 0.3}`,
    `"starts_on":"${day}"`,
  ];
  const times = '"created_at":"2026-01-04T08:00:00.000Z","updated_at":"2026-02-11T09:30:12.114Z"';
  return `{"id":"${FIRST_ID + BigInt(index)}",${fields.join(',')},"version":1,${times}}`;
}
