import { type ErrorCode, SlipwayError } from '../../platform/kinds/errors.js';
import type { Leaf } from './dataset-leaves.js';
import { distancePath } from './geo-point.js';
import type { Filter, FilterTarget } from '../filter/index.js';
import type { Near } from '../filter/filter.js';
import { nearsOn } from '../filter/near.js';
import { NEAR } from '../filter/operators.js';
import { suggest } from '../filter/suggestion.js';

interface Direction {
  /** As written: the field, or the distance of a point. */
  path: string;
  descending: boolean;
}
export type FieldKey = Direction & { leaf: Leaf };
/** Sorts by the distance from the place of a condition. */
type DistanceKey = Direction & { near: Near };
export type OrderKey = FieldKey | DistanceKey;
/** Its last key is the id, so no two rows are equal. */
export type Order = readonly OrderKey[];

const MOST_KEYS = 3;
const KEY = /^(\S+?)(?:\s+(asc|desc))?$/i;

/** One key as written, with its offset. */
interface Part {
  text: string;
  offset: number;
}

/**
 * Reads `starts_on desc,customer.name`; the id comes last where it is not named.
 * @param filter its condition `=near=` says what `<point>.distance` is measured from
 * @throws order.unknown_field, order.invalid
 */
export function parseOrder(text: string, target: FilterTarget, filter?: Filter): Order {
  const keys: OrderKey[] = [];
  for (const part of toParts(text)) {
    const key = readKey(part, target, filter);
    if (keys.some(({ path }) => path === key.path)) throw refusal('order.invalid', `duplicate key ${key.path}`, part);
    if (keys.length === MOST_KEYS) throw refusal('order.invalid', `an order has at most ${MOST_KEYS} keys`, part);
    keys.push(key);
  }
  const id = target.leaves.get('id');
  return id === undefined || keys.some(({ path }) => path === 'id')
    ? keys
    : [...keys, { path: 'id', leaf: id, descending: false }];
}

/** The canonical text: equal for equivalent orders. */
export const orderText = (order: Order): string =>
  order.map(({ path, descending }) => `${path}${descending ? ' desc' : ''}`).join(',');

function toParts(text: string): Part[] {
  if (text.trim() === '') return [];
  let next = 0;
  // One more than the limit: the error refers to it.
  return text.split(',', MOST_KEYS + 1).map((written) => {
    const offset = next + written.length - written.trimStart().length;
    next += written.length + 1;
    return { text: written.trim(), offset };
  });
}

function readKey(part: Part, { dataset, leaves, points }: FilterTarget, filter?: Filter): OrderKey {
  const [, path = part.text, direction = 'asc'] = KEY.exec(part.text) ?? [];
  const leaf = leaves.get(path);
  const descending = direction.toLowerCase() === 'desc';
  if (leaf?.sortable === true) return { path, leaf, descending };
  const point = [...(points?.keys() ?? [])].find((name) => distancePath(name) === path);
  if (point !== undefined) return { path, near: nearOf(point, part, filter), descending };
  if (leaf !== undefined) throw refusal('order.unknown_field', `${dataset} cannot be sorted by ${path}`, part);
  if (/\s/.test(path)) throw refusal('order.invalid', 'a key is a field, alone or with asc or desc', part);
  const fields = [...leaves.values()].flatMap((each) => (each.sortable ? each.path : []));
  const known = [...fields, ...[...(points?.keys() ?? [])].map(distancePath)];
  const message = `${dataset} has no field '${path.slice(0, 60)}'`;
  throw refusal('order.unknown_field', message, part, suggest(path, known));
}

/** @throws order.invalid */
function nearOf(point: string, part: Part, filter: Filter | undefined): Near {
  const [near, other] = nearsOn(point, filter);
  if (near !== undefined && other === undefined) return near;
  const message = `${distancePath(point)} needs one condition ${point} ${NEAR} (latitude, longitude, metres) in the filter`;
  throw refusal('order.invalid', message, part);
}

function refusal(code: ErrorCode, message: string, { text, offset }: Part, suggestion?: string): SlipwayError {
  const position = { offset, length: text.length, line: 1, column: offset + 1 };
  const problem = { code, message, parameter: 'order_by', position, ...(suggestion !== undefined && { suggestion }) };
  return new SlipwayError(code, message, { problems: [problem] });
}
