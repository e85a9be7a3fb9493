import type { Column } from '../columns/column.js';
import type { Columns } from '../columns/index.js';
import { type StoredRow, valueAt } from '../columns/stored-row.js';
import type { Filter, Near } from './filter.js';

/** The values of a condition in order, with their ranges. */
export const NEAR_VALUES = [
  { name: 'latitude', from: -90, to: 90 },
  { name: 'longitude', from: -180, to: 180 },
  // Half the circumference: every place is nearer.
  { name: 'radius in metres', from: 0, to: 20_100_000 },
] as const;

/** Mean radius of the earth in metres (IUGG). */
const EARTH = 6_371_008.8;
const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

type Degrees = (index: number) => number;

/**
 * Compiles the distance of a row in metres on a sphere, by the haversine formula: within 0.6 % of the ellipsoid.
 * `NaN` where the row has no valid coordinates.
 */
export function compileDistance(near: Near, columns: Pick<Columns, 'column'>): (row: number) => number {
  const latitude = degreesOf(columns.column(near.point.latitude.path));
  const longitude = degreesOf(columns.column(near.point.longitude.path));
  return (row) => distance(near, latitude(row), longitude(row));
}

/** Whether a row is inside the radius; most rows are rejected by their latitude alone. */
export function compileNear(near: Near, columns: Pick<Columns, 'column'>): (row: number) => boolean {
  const latitude = degreesOf(columns.column(near.point.latitude.path));
  const distanceOf = compileDistance(near, columns);
  const band = (near.radius / EARTH) * (180 / Math.PI) * 1.000_001;
  return (row) => Math.abs(latitude(row) - near.latitude) <= band && distanceOf(row) <= near.radius;
}

export function isRowNear(near: Near, row: StoredRow): boolean {
  const { latitude, longitude } = near.point;
  return distance(near, degrees(valueAt(row, latitude)), degrees(valueAt(row, longitude))) <= near.radius;
}

/** An integer is stored as a bigint where a number is not exact. */
const degrees = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : NaN;

const degreesOf = (column: Column | undefined): Degrees => {
  if (column?.kind !== 'number') return () => NaN;
  const { values } = column;
  return (row) => values[row] ?? NaN;
};

function distance({ latitude, longitude }: Near, rowLatitude: number, rowLongitude: number): number {
  if (!(Math.abs(rowLatitude) <= 90 && Math.abs(rowLongitude) <= 180)) return NaN;
  const north = Math.sin(toRadians(rowLatitude - latitude) / 2);
  const east = Math.sin(toRadians(rowLongitude - longitude) / 2);
  const haversine = north * north + Math.cos(toRadians(latitude)) * Math.cos(toRadians(rowLatitude)) * east * east;
  return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** Lists the conditions on a point. */
export function nearsOn(name: string, filter: Filter | undefined): Near[] {
  if (filter === undefined || filter.kind === 'condition') return [];
  if (filter.kind === 'near') return filter.point.name === name ? [filter] : [];
  const terms = filter.kind === 'not' ? [filter.term] : filter.terms;
  return terms.flatMap((term) => nearsOn(name, term));
}
