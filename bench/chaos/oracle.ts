import { open, readFile } from 'node:fs/promises';

/** One time that a notice took effect at a receiver. */
export interface Effect {
  id: string;
  /** The subject of the event. */
  subject: string;
  sequence: number;
  /** SHA-256 of the bytes that came. */
  digest: string;
}

/** The effects at a receiver, recorded apart from its answers: an effect is on the disk before it counts. */
export interface Oracle {
  note(effect: Effect): Promise<void>;
  close(): Promise<void>;
}

export async function openOracle(file: string): Promise<Oracle> {
  const handle = await open(file, 'a');
  return {
    async note(effect) {
      await handle.appendFile(`${JSON.stringify(effect)}\n`);
      await handle.datasync();
    },
    close: () => handle.close(),
  };
}

/** In the order in which they happened. */
export async function readOracle(file: string): Promise<Effect[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Effect);
}
