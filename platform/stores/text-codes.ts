/** The code of a value that is not there. */
const NONE = 0;

/** Numbers for the texts of one field, counted so that texts that are in use no more do not stay. */
export class TextCodes {
  readonly #codes = new Map<string, number>();
  readonly #texts: string[] = [''];
  readonly #uses: number[] = [0];
  readonly #free: number[] = [];

  /** Counts one more use of a text. */
  take(text: string | undefined): number {
    if (text === undefined) return NONE;
    const code = this.#codes.get(text) ?? this.#add(text);
    this.#uses[code] = (this.#uses[code] ?? 0) + 1;
    return code;
  }

  release(code: number): void {
    if (code === NONE) return;
    const uses = (this.#uses[code] ?? 0) - 1;
    this.#uses[code] = uses;
    if (uses > 0) return;
    this.#codes.delete(this.#texts[code] ?? '');
    this.#texts[code] = '';
    this.#free.push(code);
  }

  /** Returns 1 at the code of each of these texts that is in use, and 0 elsewhere. */
  mask(texts: readonly string[]): Uint8Array {
    const mask = new Uint8Array(this.#texts.length);
    for (const text of texts) {
      const code = this.#codes.get(text);
      if (code !== undefined) mask[code] = 1;
    }
    return mask;
  }

  #add(text: string): number {
    const code = this.#free.pop() ?? this.#texts.length;
    this.#codes.set(text, code);
    this.#texts[code] = text;
    this.#uses[code] = 0;
    return code;
  }
}
