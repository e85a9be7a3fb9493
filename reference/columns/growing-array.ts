interface Numbers {
  readonly length: number;
  set(from: ArrayLike<number>): void;
  fill(value: number, start: number): unknown;
}

/**
 * Returns an array of at least this length with the same content: the given one if it is long enough, else a longer
 * copy, so that concurrent readers of the given one are not disturbed.
 */
export function withCapacity<A extends Numbers & ArrayLike<number>>(array: A, length: number, fill = 0): A {
  if (length <= array.length) return array;
  const Constructor = array.constructor as new (length: number) => A; // typed arrays name their own
  const copy = new Constructor(Math.max(length, Math.ceil(array.length * 1.5), 1_024));
  copy.set(array);
  if (fill !== 0) copy.fill(fill, array.length);
  return copy;
}
