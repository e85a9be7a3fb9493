/** Above every budget. */
const FAR = 100;
/** Every letter may come next. */
const ANY = -1;

/**
 * The edit-distance table (optimal string alignment) of a typed word and a path of letters, a row per letter of the
 * path. Only the cells around the diagonal can be within the budget, so only those are computed. A row is overwritten
 * when another letter takes its place.
 */
export class DistanceBand {
  private readonly width: number;
  private readonly stride: number;
  private readonly letters: number[] = [];
  private readonly path: number[];
  private readonly cells: number[];
  /** Per row the letters that may come next, a bit for each (of 32 letters the same); ANY where edits are left. */
  private readonly next: number[];
  private readonly band: number;

  constructor(typed: string, mostEdits: number) {
    const band = Math.max(0, mostEdits);
    this.band = band;
    this.width = typed.length;
    this.stride = typed.length + 2;
    for (let at = 0; at < typed.length; at += 1) this.letters.push(typed.charCodeAt(at));
    // Plain arrays: typed ones of this size live outside the heap and are slow to make.
    const rows = typed.length + band + 2;
    this.path = new Array<number>(rows).fill(0);
    this.next = new Array<number>(rows).fill(ANY);
    this.cells = new Array<number>(rows * this.stride).fill(FAR);
    for (let column = 0; column <= band; column += 1) this.cells[column] = column;
  }

  /** A quick look, before the row is filled, whether a letter below that row can stay within the budget. */
  mayFollow(row: number, letter: number): boolean {
    return ((this.next[row] ?? ANY) & (1 << (letter & 31))) !== 0;
  }

  /** Fills the row for one more letter of the path; false when all of it is above the budget. */
  fill(row: number, letter: number, budget: number): boolean {
    const { cells, letters, stride, band, width } = this;
    const above = (row - 1) * stride;
    const here = row * stride;
    const letterAbove = this.path[row - 1] ?? 0;
    const first = Math.max(1, row - band);
    const last = Math.min(width, row + band);
    let left = first === 1 ? row : FAR;
    let smallest = left;
    cells[here + first - 1] = left;
    for (let column = first; column <= last; column += 1) {
      const typed = letters[column - 1] ?? 0;
      let edits = (cells[above + column - 1] ?? FAR) + (typed === letter ? 0 : 1);
      edits = Math.min(edits, (cells[above + column] ?? FAR) + 1, left + 1);
      if (row > 1 && column > 1 && typed === letterAbove && letters[column - 2] === letter) {
        edits = Math.min(edits, (cells[above - stride + column - 2] ?? FAR) + 1);
      }
      cells[here + column] = edits;
      left = edits;
      if (edits < smallest) smallest = edits;
    }
    cells[here + last + 1] = FAR;
    this.path[row] = letter;
    this.next[row] = smallest < budget ? ANY : this.lettersAfter(row, first, last, budget);
    return smallest <= budget;
  }

  /** The distance of the whole typed word to the path of so many letters. */
  distance(row: number): number {
    return row + this.band < this.width ? FAR : (this.cells[row * this.stride + this.width] ?? FAR);
  }

  /** Without edits left, only the next typed letter of a cell within the budget, or a crossing begun, leads on. */
  private lettersAfter(row: number, first: number, last: number, budget: number): number {
    const { cells, letters, stride } = this;
    const here = row * stride;
    const letter = this.path[row] ?? 0;
    const end = Math.min(last, this.width - 1);
    let next = 0;
    for (let column = first - 1; column <= end; column += 1) {
      const typed = letters[column] ?? 0;
      if ((cells[here + column] ?? FAR) <= budget) next |= 1 << (typed & 31);
      if (column === 0 || typed !== letter) continue;
      if ((cells[here - stride + column - 1] ?? FAR) < budget) next |= 1 << ((letters[column - 1] ?? 0) & 31);
    }
    return next;
  }
}
