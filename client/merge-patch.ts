/** The JSON merge patch (RFC 7396) that makes `to` out of `from`. */
export function mergePatchOf(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return to;
  const removed = Object.keys(from).filter((name) => !Object.hasOwn(to, name));
  return Object.fromEntries([
    ...removed.map((name) => [name, null]),
    ...Object.entries(to).map(([name, value]) => [name, mergePatchOf(from[name], value)]),
  ]);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
