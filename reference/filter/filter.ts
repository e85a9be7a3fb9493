import type { Leaf } from '../dataset/dataset-leaves.js';
import type { GeoPoint } from '../dataset/geo-point.js';
import type { Scalar } from '../rows/value.js';
import type { Operator } from './operators.js';
import type { Span } from './tokens.js';

/**
 * A filter typed against its dataset. A condition on an absent value is false, except for `=null=`: so `!=` means
 * present and not equal, while `not` is plain negation. A list fulfils a condition when any entry does; it fulfils `!=`
 * and `=out=` when it is present and no entry does the opposite.
 */
export type Filter = All | Any | Not | Condition | Near;

interface All extends Span {
  kind: 'and';
  /** At least two, none of them an `and`. */
  terms: readonly Filter[];
}
interface Any extends Span {
  kind: 'or';
  /** At least two, none of them an `or`. */
  terms: readonly Filter[];
}
interface Not extends Span {
  kind: 'not';
  term: Filter;
}
export interface Condition extends Span {
  kind: 'condition';
  leaf: Leaf;
  operator: Operator;
  /** In the normal form of the leaf's type; of `=null=` one boolean, of `=like=` one pattern (`like.ts`). */
  values: readonly Scalar[];
}

/** True for rows whose point is at most this far away; false without valid coordinates. */
export interface Near extends Span {
  kind: 'near';
  point: GeoPoint;
  /** In degrees. */
  latitude: number;
  longitude: number;
  /** In metres. */
  radius: number;
}
