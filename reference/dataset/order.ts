import { type ErrorCode, SlipwayError } from '../../platform/kinds/errors.js';
import type { Leaf } from './dataset-leaves.js';
import type { FilterTarget } from '../filter/index.js';
import { suggest } from '../filter/suggestion.js';

export interface OrderKey {
  leaf: Leaf;
  descending: boolean;
}
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
 * @throws order.unknown_field, order.invalid
 */
export function parseOrder(text: string, target: FilterTarget): Order {
  const keys: OrderKey[] = [];
  for (const part of toParts(text)) {
    const key = readKey(part, target);
    if (keys.some(({ leaf }) => leaf === key.leaf))
      throw refusal('order.invalid', `duplicate key ${key.leaf.path}`, part);
    if (keys.length === MOST_KEYS) throw refusal('order.invalid', `an order has at most ${MOST_KEYS} keys`, part);
    keys.push(key);
  }
  const id = target.leaves.get('id');
  return id === undefined || keys.some(({ leaf }) => leaf === id) ? keys : [...keys, { leaf: id, descending: false }];
}

/** The canonical text: equal for equivalent orders. */
export const orderText = (order: Order): string =>
  order.map(({ leaf, descending }) => `${leaf.path}${descending ? ' desc' : ''}`).join(',');

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

function readKey(part: Part, { dataset, leaves }: FilterTarget): OrderKey {
  const [, path = part.text, direction = 'asc'] = KEY.exec(part.text) ?? [];
  const leaf = leaves.get(path);
  if (leaf?.sortable === true) return { leaf, descending: direction.toLowerCase() === 'desc' };
  if (leaf !== undefined) throw refusal('order.unknown_field', `${dataset} cannot be sorted by ${path}`, part);
  if (/\s/.test(path)) throw refusal('order.invalid', 'a key is a field, alone or with asc or desc', part);
  const known = [...leaves.values()].flatMap((each) => (each.sortable ? each.path : []));
  const message = `${dataset} has no field '${path.slice(0, 60)}'`;
  throw refusal('order.unknown_field', message, part, suggest(path, known));
}

function refusal(code: ErrorCode, message: string, { text, offset }: Part, suggestion?: string): SlipwayError {
  const position = { offset, length: text.length, line: 1, column: offset + 1 };
  const problem = { code, message, parameter: 'order_by', position, ...(suggestion !== undefined && { suggestion }) };
  return new SlipwayError(code, message, { problems: [problem] });
}
