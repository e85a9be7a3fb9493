export interface LruCacheOptions<Value> {
  /** Room for what is kept, in the unit of `sizeOf`. */
  maxSize: number;
  sizeOf: (value: Value) => number;
}

/**
 * Keeps what was asked for lately. When half of the room is taken, all that was not asked for since the half before is
 * dropped: a hit moves nothing, as it would in a list by the order of use.
 */
export class LruCache<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  #taken = 0;
  readonly #half: number;
  readonly #sizeOf: (value: Value) => number;

  constructor({ maxSize, sizeOf }: LruCacheOptions<Value>) {
    this.#half = maxSize / 2;
    this.#sizeOf = sizeOf;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    const size = this.#sizeOf(value);
    const replaced = this.#young.get(key);
    this.#taken += size - (replaced === undefined ? 0 : this.#sizeOf(replaced));
    if (this.#taken > this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#taken = size;
    }
    this.#young.set(key, value);
  }
}
