import type { Content } from '../../../reference/rows/row.js';
import { ANY, type Meaning, RUN, type Test } from './cases.js';

/** Says of one row, as slowly and plainly as can be, whether it fulfils a filter. */
export function fulfils(meaning: Meaning, row: Content): boolean {
  if ('and' in meaning) return meaning.and.every((term) => fulfils(term, row));
  if ('or' in meaning) return meaning.or.some((term) => fulfils(term, row));
  if ('not' in meaning) return !fulfils(meaning.not, row);
  const held = valueOf(row, meaning.path);
  if (meaning.operator === '=null=') return (held === undefined) === meaning.values[0];
  if (held === undefined) return false;
  const entries: readonly unknown[] = Array.isArray(held) ? held : [held];
  if (meaning.operator === '!=') return !entries.some((entry) => entry === meaning.values[0]);
  if (meaning.operator === '=out=') return !entries.some((entry) => meaning.values.includes(entry));
  return entries.some((entry) => entryFulfils(meaning, entry));
}

function entryFulfils({ operator, values }: Test, entry: unknown): boolean {
  const [first, second] = values;
  if (operator === '==') return entry === first;
  if (operator === '=in=') return values.includes(entry);
  if (operator === '<') return compare(entry, first) < 0;
  if (operator === '<=') return compare(entry, first) <= 0;
  if (operator === '>') return compare(entry, first) > 0;
  if (operator === '>=') return compare(entry, first) >= 0;
  if (operator === '=between=') return compare(entry, first) >= 0 && compare(entry, second) <= 0;
  if (operator === '=like=') return like(values, [...String(entry)]);
  throw new Error(operator);
}

function like([first, ...pattern]: readonly unknown[], text: readonly string[]): boolean {
  if (first === undefined) return text.length === 0;
  if (first === RUN) return Array.from({ length: text.length + 1 }).some((_, at) => like(pattern, text.slice(at)));
  return text.length > 0 && (first === ANY || first === text[0]) && like(pattern, text.slice(1));
}

const compare = (one: unknown, other: unknown): number => {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return (one as number) < (other as number) ? -1 : one === other ? 0 : 1;
};

function valueOf(row: Content, path: string): unknown {
  let value: unknown = row;
  for (const step of path.split('.')) {
    if (Array.isArray(value)) return value.map((entry: Record<string, unknown>) => entry[step]);
    value = (value as Record<string, unknown> | undefined)?.[step];
  }
  return value;
}
