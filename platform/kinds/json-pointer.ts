/** What is wrong with a JSON Pointer (RFC 6901), in a sentence without subject. */
export function pointerProblem(pointer: string): string | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return 'must be empty or begin with "/", such as /prediction/0';
  return /~(?![01])/.test(pointer) ? 'has a "~" that is neither ~0 nor ~1' : undefined;
}

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
