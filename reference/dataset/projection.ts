import { type Field, type Fields } from './dataset-field.js';
import { ROW_MEMBERS } from './dataset-names.js';
import type { DatasetSpec } from './dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Problem } from '../../platform/kinds/problem.js';
import { suggest } from '../filter/suggestion.js';

/** The part of a declaration that an answer shows; the members that every row has always stay. */
export interface Projection {
  fields: Fields;
  /** Canonical text: equal for equivalent projections. */
  text: string;
}

const LONGEST = 8 * 1_024;

/**
 * Reads `title,customer.id`: fields, members of objects, and `*` for everything.
 * @returns undefined where everything is asked for
 * @throws fields.unknown
 */
export function parseProjection(text: string, { fields }: Pick<DatasetSpec, 'fields'>): Projection | undefined {
  if (text.length > LONGEST) throw new SlipwayError('fields.unknown', `fields has at most ${LONGEST} characters`);
  const problems: Problem[] = [];
  const wanted = new Set<string>();
  let offset = 0;
  for (const part of text.split(',')) {
    const path = part.trim();
    if (path === '*' || isKnown(fields, path)) wanted.add(path);
    else problems.push(toProblem(path, offset + part.length - part.trimStart().length, fields));
    offset += part.length + 1;
  }
  if (problems.length > 0)
    throw new SlipwayError('fields.unknown', `${problems.length} unknown in fields`, { problems });
  if (wanted.has('*')) return undefined;
  return { fields: pick(fields, wanted, ''), text: [...wanted].sort().join(',') };
}

const isOwn = (path: string): boolean => (ROW_MEMBERS as readonly string[]).includes(path);

function isKnown(fields: Fields, path: string): boolean {
  return isOwn(path) || pathsOf(fields).includes(path);
}

const pathsOf = (fields: Fields, before = ''): string[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const path = `${before}${name}`;
    return [path, ...(field.type === 'object' ? pathsOf(field.fields, `${path}.`) : [])];
  });

function pick(fields: Fields, wanted: ReadonlySet<string>, before: string): Fields {
  const kept: [string, Field][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const path = `${before}${name}`;
    if (wanted.has(path)) kept.push([name, field]);
    else if (field.type === 'object') {
      const members = pick(field.fields, wanted, `${path}.`);
      if (Object.keys(members).length > 0) kept.push([name, { ...field, fields: members }]);
    }
  }
  return Object.fromEntries(kept);
}

function toProblem(path: string, offset: number, fields: Fields): Problem {
  const suggestion = suggest(path, [...ROW_MEMBERS, ...pathsOf(fields)]);
  return {
    code: 'fields.unknown',
    message: `there is no field '${path.slice(0, 60)}'`,
    parameter: 'fields',
    position: { offset, length: path.length, line: 1, column: offset + 1 },
    ...(suggestion !== undefined && { suggestion }),
  };
}
