/**
 * Keys in JSON are any text (hyper-parameters, OpenAPI paths, `$ref`); keys in a document must not hold `.`, `$` or
 * NUL, nor be empty everywhere. So these are percent-encoded on the way in and decoded on the way out. An array
 * directly in an array, which not every server takes, travels as `{"%array": [...]}`.
 */
export function encodeKeys(value: unknown): unknown {
  return wrapArrays(mapKeys(value, encodeKey));
}

export function decodeKeys(value: unknown): unknown {
  return mapKeys(unwrapArrays(value), decodeKey);
}

/** No encoded key looks like this: an encoded `%` is followed by two hexadecimal digits. */
const WRAPPED = '%array';

function wrapArrays(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown) => (Array.isArray(item) ? { [WRAPPED]: wrapArrays(item) } : wrapArrays(item)));
  }
  return mapValues(value, wrapArrays);
}

function unwrapArrays(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapArrays);
  if (isObject(value) && WRAPPED in value) return unwrapArrays(value[WRAPPED]);
  return mapValues(value, unwrapArrays);
}

function mapValues(value: unknown, change: (item: unknown) => unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function mapKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapKeys(item, rename));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [rename(key), mapKeys(item, rename)]));
}

const encodeKey = (key: string) =>
  key === '' ? '%' : key.replace(/[%.$\0]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

const decodeKey = (key: string) =>
  key === '%' ? '' : key.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
