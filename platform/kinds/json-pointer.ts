/** The value that a JSON Pointer names; `undefined` when there is none. */
export function valueAt(json: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  let value = json;
  for (const name of names.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(name) ? (value as unknown[])[Number(name)] : undefined;
    else if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) {
      value = (value as Record<string, unknown>)[name];
    } else return undefined;
  }
  return value;
}
