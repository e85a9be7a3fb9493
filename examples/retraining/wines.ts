import { readFile } from 'node:fs/promises';

/** One wine: how much alcohol it holds, in percent by volume, and its other measurements by name. */
export interface Wine {
  alcohol: number;
  measured: Record<string, number>;
}

/** Reads wines.csv: a header, numbers, no quotes. */
export async function readWines(file: string): Promise<Wine[]> {
  const [header = '', ...lines] = (await readFile(file, 'utf8')).trim().split('\n');
  const names = header.split(',');
  return lines.map((line) => {
    const cells = line.split(',').map((cell, at) => [names[at] ?? '', Number(cell)] as const);
    const { alcohol = NaN, ...measured } = Object.fromEntries(cells);
    return { alcohol, measured };
  });
}
