import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Writes `bench/results/<name>.json` with the date and the machine beside the figures. */
export async function writeResult(name: string, figures: object): Promise<void> {
  const [cpu] = cpus();
  const machine = {
    cpu: cpu?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
  };
  const folder = join(import.meta.dirname, 'results');
  await mkdir(folder, { recursive: true });
  const content = { date: new Date().toISOString(), machine, node: process.version, ...figures };
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`);
}
