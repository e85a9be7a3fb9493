import { SlipwayError } from '../kinds/errors.js';
import type { AnyResource } from '../kinds/resource.js';
import { textAt } from '../kinds/text-at.js';
import type { ListedField } from './listed-fields.js';
import type { ListQuery } from './resource-index.js';

interface Listed {
  id: string;
  /** The values of the listed fields, in the order of these. */
  values: readonly (string | undefined)[];
}

/** Texts that are in use no more, or once only, do not stay for ever. */
const MOST_SHARED = 10_000;

/**
 * The ids and listed fields of all resources of a kind, in the order of their ids. A page without a filter is a slice; a
 * filter reads every entry, about 2 ms for 100,000 of them.
 */
export class ListedResources {
  readonly #fields: readonly ListedField[];
  #entries: Listed[] = [];
  /** One copy of each text: most values are shared by many resources. */
  readonly #texts = new Map<string, string>();

  constructor(fields: readonly ListedField[]) {
    this.#fields = fields;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Appends without order; `sort` must follow. Faster than many calls of `set`. */
  add(resource: AnyResource): void {
    this.#entries.push(this.#toListed(resource));
  }

  sort(): void {
    this.#entries.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** @param resource undefined: it was removed */
  set(id: string, resource: AnyResource | undefined): void {
    const at = this.#positionOf(id);
    const known = this.#entries[at]?.id === id ? 1 : 0;
    this.#entries.splice(at, known, ...(resource === undefined ? [] : [this.#toListed(resource)]));
  }

  page({ where, skip, limit }: ListQuery): { ids: string[]; total: number } {
    const found = where.length === 0 ? this.#entries : this.#entries.filter(this.#test(where));
    return { ids: found.slice(skip, skip + limit).map(({ id }) => id), total: found.length };
  }

  #test(where: ListQuery['where']): (entry: Listed) => boolean {
    const tests = where.map(({ field, in: values }) => ({ at: this.#fieldAt(field), values: new Set(values) }));
    return ({ values }) =>
      tests.every((test) => {
        const value = values[test.at];
        return value !== undefined && test.values.has(value);
      });
  }

  #fieldAt(field: ListedField): number {
    const at = this.#fields.indexOf(field);
    if (at < 0) throw new SlipwayError('internal', `the list has no field "${field}"`);
    return at;
  }

  #toListed(resource: AnyResource): Listed {
    return { id: resource.id, values: this.#fields.map((field) => this.#shared(textAt(resource, field))) };
  }

  #shared(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST_SHARED) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }

  /** Returns the position of the first entry whose id is not smaller. */
  #positionOf(id: string): number {
    let low = 0;
    for (let high = this.#entries.length; low < high;) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.id ?? '') < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
