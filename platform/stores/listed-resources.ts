import { SlipwayError } from '../kinds/errors.js';
import type { AnyResource } from '../kinds/resource.js';
import { textAt } from '../kinds/text-at.js';
import type { ListedField } from './listed-fields.js';
import type { ListQuery } from './resource-index.js';
import { TextCodes } from './text-codes.js';

/** The values of one field, by the positions of the ids. */
interface Column {
  field: ListedField;
  texts: TextCodes;
  codes: Uint32Array;
}

const FIRST_CAPACITY = 64;

/**
 * The ids and listed fields of all resources of a kind, in the order of their ids. A page without a filter is a slice; a
 * filter compares one number of each resource.
 */
export class ListedResources {
  readonly #columns: readonly Column[];
  readonly #ids: string[] = [];

  constructor(fields: readonly ListedField[]) {
    const codes = () => new Uint32Array(FIRST_CAPACITY);
    this.#columns = fields.map((field) => ({ field, texts: new TextCodes(), codes: codes() }));
  }

  /** Appends without order; `sort` must follow. Faster than many calls of `set`. */
  add(resource: AnyResource): void {
    this.#insert(this.#ids.length, resource);
  }

  sort(): void {
    const ids = [...this.#ids];
    const order = Uint32Array.from(ids.keys()).sort((one, other) => ((ids[one] ?? '') < (ids[other] ?? '') ? -1 : 1));
    for (const column of this.#columns) {
      const { codes } = column;
      column.codes = new Uint32Array(codes.length);
      column.codes.set(order.map((from) => codes[from] ?? 0));
    }
    order.forEach((from, to) => (this.#ids[to] = ids[from] ?? ''));
  }

  /** @param resource undefined: it was removed */
  set(id: string, resource: AnyResource | undefined): void {
    const at = this.#positionOf(id);
    const isKnown = this.#ids[at] === id;
    if (resource === undefined) {
      if (isKnown) this.#remove(at);
    } else if (isKnown) this.#write(at, resource);
    else this.#insert(at, resource);
  }

  page({ where, skip, limit }: ListQuery): { ids: string[]; total: number } {
    if (where.length === 0) return { ids: this.#ids.slice(skip, skip + limit), total: this.#ids.length };
    const tests = where.map(({ field, in: values }) => {
      const { codes, texts } = this.#columnOf(field);
      return { codes, mask: texts.mask(values) };
    });
    const ids: string[] = [];
    let total = 0;
    for (let at = 0; at < this.#ids.length; at += 1) {
      // Every position has a code, and every code a place in the mask.
      if (!tests.every(({ codes, mask }) => mask[codes[at] as number] === 1)) continue;
      if (total >= skip && ids.length < limit) ids.push(this.#ids[at] as string);
      total += 1;
    }
    return { ids, total };
  }

  #columnOf(field: ListedField): Column {
    const column = this.#columns.find((each) => each.field === field);
    if (column === undefined) throw new SlipwayError('internal', `the list has no field "${field}"`);
    return column;
  }

  #insert(at: number, resource: AnyResource): void {
    const { length } = this.#ids;
    if (at === length) this.#ids.push(resource.id);
    else this.#ids.splice(at, 0, resource.id);
    for (const column of this.#columns) {
      if (length === column.codes.length) column.codes = grown(column.codes);
      column.codes.copyWithin(at + 1, at, length);
      column.codes[at] = 0;
    }
    this.#write(at, resource);
  }

  #remove(at: number): void {
    for (const { codes, texts } of this.#columns) {
      texts.release(codes[at] ?? 0);
      codes.copyWithin(at, at + 1, this.#ids.length);
    }
    this.#ids.splice(at, 1);
  }

  #write(at: number, resource: AnyResource): void {
    for (const { field, codes, texts } of this.#columns) {
      const before = codes[at] ?? 0;
      codes[at] = texts.take(textAt(resource, field));
      texts.release(before);
    }
  }

  /** Returns the position of the first id that is not smaller. */
  #positionOf(id: string): number {
    let low = 0;
    for (let high = this.#ids.length; low < high;) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] ?? '') < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function grown(codes: Uint32Array): Uint32Array {
  const larger = new Uint32Array(codes.length * 2);
  larger.set(codes);
  return larger;
}
