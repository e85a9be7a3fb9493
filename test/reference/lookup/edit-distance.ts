/** Distance by optimal string alignment, as the table of the textbook. */
export function editDistance(one: string, other: string): number {
  const table = Array.from({ length: one.length + 1 }, (_, row) => [row]);
  const at = (row: number, column: number): number => table[row]?.[column] ?? Infinity;
  for (let column = 0; column <= other.length; column += 1) {
    for (let row = 0; row <= one.length; row += 1) {
      if (row === 0 || column === 0) (table[row] ??= [])[column] = row + column;
      else {
        const same = one[row - 1] === other[column - 1] ? 0 : 1;
        let least = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + same);
        const isCrossed = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
        if (row > 1 && column > 1 && isCrossed) least = Math.min(least, at(row - 2, column - 2) + 1);
        (table[row] ??= [])[column] = least;
      }
    }
  }
  return at(one.length, other.length);
}
