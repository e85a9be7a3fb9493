/** Bits per set, and the full set. */
const BITS = 5;
const ALL = 0b11111;
/** The sets that can be non-empty with no edit, one, or two: those of begun transpositions are last. */
const WITHIN = [0b11111, 0b11111_00000_11111_11111, 0b11111_11111_11111_11111_11111];
/** Before any letter no typed letter is consumed; or the first, or the first two, which are deletions. */
const START = 0b10000_01000_00100;
/** Code of a position without a typed letter. */
const NO_LETTER = -1;

/**
 * A bit-parallel automaton of the edit distance (optimal string alignment, up to two edits) between a typed word and a
 * path of letters. A state is one number of five sets: the positions in the typed word reached with no edit, with one,
 * with two, and those where a transposition is begun, as the first or as the second edit. Bit n of a set is position
 * `length of the path + n - 2`, since two edits lead no further away.
 */
export class EditAutomaton {
  /** Padded with two positions before the first letter and after the last. */
  private readonly letters: number[] = [NO_LETTER, NO_LETTER];
  private readonly size: number;

  constructor(typed: string) {
    this.size = typed.length;
    for (let at = 0; at < typed.length; at += 1) this.letters.push(typed.charCodeAt(at));
    this.letters.push(NO_LETTER, NO_LETTER, NO_LETTER, NO_LETTER, NO_LETTER);
  }

  /** The state before any letter of a path. */
  start(budget: number): number {
    return START & (WITHIN[budget] ?? 0) & this.inside(0);
  }

  /** Returns the state after another letter; 0 when more edits than the budget are needed. */
  follow(state: number, length: number, letter: number, budget: number): number {
    const none = state & ALL;
    const one = (state >>> BITS) & ALL;
    const same = this.same(length, letter);
    const crossed = same << 1;
    // In each set: the letter matches, replaces the typed one, is inserted before it, or the typed one is deleted.
    const noneNow = none & same;
    const oneNow = (one & same) | none | (none >>> 1) | (noneNow << 1) | ((state >>> (3 * BITS)) & crossed);
    const two = (state >>> (2 * BITS)) & ALL;
    const twoNow = (two & same) | one | (one >>> 1) | (oneNow << 1) | ((state >>> (4 * BITS)) & crossed);
    const begun = same >>> 1;
    const sets =
      noneNow |
      ((oneNow & ALL) << BITS) |
      ((twoNow & ALL) << (2 * BITS)) |
      ((none & begun) << (3 * BITS)) |
      ((one & begun) << (4 * BITS));
    return sets & (WITHIN[budget] ?? 0) & this.inside(length + 1);
  }

  /** Returns the edit distance between the whole typed word and a path; Infinity when it exceeds that of the state. */
  edits(state: number, length: number): number {
    const bit = this.size - length + 2;
    if (bit < 0 || bit >= BITS) return Infinity;
    for (let edits = 0; edits < 3; edits += 1) if ((state >>> (edits * BITS + bit)) & 1) return edits;
    return Infinity;
  }

  /** Whether another edit is possible; if not, only the letters of `positionsAfter` continue the path. */
  canEdit(state: number, budget: number): boolean {
    return (state & (WITHIN[budget - 1] ?? 0)) !== 0;
  }

  /** Returns the positions of typed letters that continue the path when all edits are spent, as a set. */
  positionsAfter(state: number, budget: number): number {
    const crossings = (state >>> ((2 + budget) * BITS)) & ALL;
    return ((state >>> (budget * BITS)) & ALL) | (crossings >>> 1);
  }

  /** Returns the letter of the lowest of some positions. */
  letterOf(positions: number, length: number): number {
    return this.letters[length + 31 - Math.clz32(positions & -positions)] ?? NO_LETTER;
  }

  /** Returns the set of positions of this letter in the typed word. */
  same(length: number, letter: number): number {
    const { letters } = this;
    return (
      (letters[length] === letter ? 1 : 0) |
      (letters[length + 1] === letter ? 2 : 0) |
      (letters[length + 2] === letter ? 4 : 0) |
      (letters[length + 3] === letter ? 8 : 0) |
      (letters[length + 4] === letter ? 16 : 0)
    );
  }

  /** Returns the positions up to the end of the typed word, in every set. */
  private inside(length: number): number {
    const bits = this.size - length + 3;
    if (bits >= BITS) return -1;
    return bits <= 0 ? 0 : ((1 << bits) - 1) * 0b00001_00001_00001_00001_00001;
  }
}
