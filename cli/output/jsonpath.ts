import { JSONPathError, jsonpath } from 'json-p3';
import { SlipwayError } from '../../platform/kinds/errors.js';

/**
 * Values of a JSONPath (RFC 9535), one per line, texts without quotes. Also in the form of kubectl: `{.status.state}`.
 * In a single entity `$` is that entity; an expression that begins with an index finds it in a list of one.
 */
export function compilePath(given: string): (entities: readonly unknown[], isList: boolean) => string {
  const inner = (/^\{(.*)\}$/.exec(given.trim())?.[1] ?? given).trim();
  const expression = inner.startsWith('$') ? inner : `$${/^[.[]/.test(inner) ? '' : '.'}${inner}`;
  const wantsList = /^\$\[(\d+|\*)\]/.test(expression);
  let query: ReturnType<typeof jsonpath.compile>;
  try {
    query = jsonpath.compile(expression);
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    throw new SlipwayError('validation_failed', `"${given}" is no JSONPath: ${error.message}`);
  }
  return (entities, isList) => {
    // Only values parsed from JSON are searched.
    const root = JSON.parse(JSON.stringify(isList || wantsList ? entities : entities[0])) as Parameters<
      typeof query.query
    >[0];
    return query.query(root).values().map(toText).join('\n');
  };
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
