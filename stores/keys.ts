/**
 * Keys in JSON are any text (hyper-parameters, OpenAPI paths, `$ref`); keys in a document must not hold `.`, `$` or NUL,
 * nor be empty everywhere. So these are percent-encoded on the way in and decoded on the way out.
 */
export function encodeKeys(value: unknown): unknown {
  return mapKeys(value, encodeKey);
}

export function decodeKeys(value: unknown): unknown {
  return mapKeys(value, decodeKey);
}

function mapKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapKeys(item, rename));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [rename(key), mapKeys(item, rename)]));
}

const encodeKey = (key: string) =>
  key === '' ? '%' : key.replace(/[%.$\0]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

const decodeKey = (key: string) =>
  key === '%' ? '' : key.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
