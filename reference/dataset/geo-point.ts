import type { Leaf } from './dataset-leaves.js';
import type { DatasetSpec } from './dataset.js';

/** A place on the surface of the earth by two fields of a row, in degrees. */
export interface GeoPoint {
  /** As filters spell it. */
  name: string;
  latitude: Leaf;
  longitude: Leaf;
}
export type GeoPoints = ReadonlyMap<string, GeoPoint>;

/** Returns the declared points of a dataset by name. */
export const geoPointsOf = ({ points = {} }: DatasetSpec, leaves: ReadonlyMap<string, Leaf>): GeoPoints =>
  new Map(
    Object.entries(points).flatMap(([name, paths]) => {
      const [latitude, longitude] = [leaves.get(paths.latitude), leaves.get(paths.longitude)];
      return latitude && longitude ? [[name, { name, latitude, longitude }] as const] : [];
    }),
  );

/** The key of `order_by` that sorts by the distance from a condition `=near=`. */
export const distancePath = (point: string): string => `${point}.distance`;
