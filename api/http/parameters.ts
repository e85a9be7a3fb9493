import { SlipwayError } from '../../platform/kinds/errors.js';
import type { HttpContext } from './state.js';

/**
 * Reads the query of a request of `/v2`, each name once. `+` is a space; only the first `=` separates name and value.
 * @throws parameter.unknown, parameter.invalid: no parameter is ever ignored
 */
export function readQuery<Name extends string>(
  { querystring }: Pick<HttpContext, 'querystring'>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  if (querystring === '') return found;
  for (const part of querystring.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decode(at < 0 ? part : part.slice(0, at));
    if (!isOneOf(names, name)) throw unknown(name, names);
    if (found[name] !== undefined) throw invalid(name, 'is given more than once: send it once');
    found[name] = decode(at < 0 ? '' : part.slice(at + 1));
  }
  return found;
}

/** @throws parameter.invalid */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new SlipwayError(
      'parameter.invalid',
      'the query is not percent-encoded UTF-8: encode every value, `%` itself as `%25`',
      { cause },
    );
  }
}

const isOneOf = <Name extends string>(names: readonly Name[], name: string): name is Name =>
  (names as readonly string[]).includes(name);

function unknown(name: string, names: readonly string[]): SlipwayError {
  const remedy = names.length === 0 ? 'leave it out' : `send one of ${names.join(', ')}`;
  const shown = name.slice(0, 63);
  return new SlipwayError('parameter.unknown', `parameter "${shown}" is unknown here: ${remedy}`, {
    members: { parameter: shown },
  });
}

/** Quotes a value of a request in an error text. */
export const quote = (value: string): string => JSON.stringify(value.slice(0, 63));

export const invalid = (name: string, why: string): SlipwayError =>
  new SlipwayError('parameter.invalid', `${name} ${why}`, { members: { parameter: name } });

/** @throws parameter.invalid unless it is an integer in these bounds */
export function toCount(name: string, text: string, { from, to }: { from: number; to: number }): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (!(value >= from && value <= to))
    throw invalid(name, `${quote(text)} is not accepted: send an integer from ${from} to ${to}`);
  return value;
}

/** @throws parameter.invalid */
export function toFlag(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw invalid(name, `${quote(text)} is not accepted: send true or false`);
}
