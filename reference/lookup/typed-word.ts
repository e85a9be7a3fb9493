/** Bits of a set, and all of them. */
const BITS = 5;
const ALL = 0b11111;
/** The sets that may be more than empty with no edit, one, or two: those of crossings begun come last. */
const WITHIN = [0b11111, 0b11111_00000_11111_11111, 0b11111_11111_11111_11111_11111];
/** Before any letter nothing typed is done with; or the first, or the first two, which are left out. */
const START = 0b10000_01000_00100;
/** Stands where there is no typed letter. */
const NO_LETTER = -1;

/**
 * How a typed word and a path of letters go together with up to two edits (optimal string alignment). The state behind
 * a path is one number of five sets: the places in the typed word that are reached with no edit, with one, with two, and
 * those where a crossing of two letters is begun, as the first or as the second edit. Bit n of a set is place
 * `length of the path + n - 2`, for two edits lead no further off.
 */
export class TypedWord {
  /** With two places before the first and behind the last. */
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

  /** The state when a letter follows a path of so many; 0 where no more than the budget leads there. */
  follow(state: number, length: number, letter: number, budget: number): number {
    const none = state & ALL;
    const one = (state >>> BITS) & ALL;
    const same = this.same(length, letter);
    const crossed = same << 1;
    // In each set: the letter is the typed one, takes its place, comes before it, or the typed one is left out.
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

  /** The fewest edits between the whole typed word and a path; Infinity where they are more than the state knows of. */
  edits(state: number, length: number): number {
    const bit = this.size - length + 2;
    if (bit < 0 || bit >= BITS) return Infinity;
    for (let edits = 0; edits < 3; edits += 1) if ((state >>> (edits * BITS + bit)) & 1) return edits;
    return Infinity;
  }

  /** Whether another edit is possible; if not, only `lettersAfter` lead on. */
  canEdit(state: number, budget: number): boolean {
    return (state & (WITHIN[budget - 1] ?? 0)) !== 0;
  }

  /** Typed letters that lead on when all edits are spent, a bit for each place of a set. */
  placesAfter(state: number, budget: number): number {
    const crossings = (state >>> ((2 + budget) * BITS)) & ALL;
    return ((state >>> (budget * BITS)) & ALL) | (crossings >>> 1);
  }

  /** The letter of the lowest of some places. */
  letterOf(places: number, length: number): number {
    return this.letters[length + 31 - Math.clz32(places & -places)] ?? NO_LETTER;
  }

  /** A set of the places where this letter was typed. */
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

  /** In every set the places up to the end of the typed word. */
  private inside(length: number): number {
    const bits = this.size - length + 3;
    if (bits >= BITS) return -1;
    return bits <= 0 ? 0 : ((1 << bits) - 1) * 0b00001_00001_00001_00001_00001;
  }
}
