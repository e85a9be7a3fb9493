/** A notice that is loaded and not settled. */
export interface OpenNotice {
  sequence: number;
  /** That holds it. */
  block: number;
  /** It waits for people, or they re-opened it. */
  held?: boolean;
}

/** Neighboring sequences of one block. */
interface Run extends Required<Omit<OpenNotice, 'sequence'>> {
  from: number;
  to: number;
}

/**
 * All of them as one text, `7:1200-1399 7:1402 8:1403!`, of which `!` marks what is held: a database that stands on SQL
 * takes most of a second to read or write ten thousand members of a list.
 * @param open in order of sequence
 */
export function writeOpen(open: readonly OpenNotice[]): string {
  const runs: Run[] = [];
  for (const { sequence, block, held = false } of open) {
    const run = runs.at(-1);
    if (run?.to === sequence - 1 && run.block === block && run.held === held) run.to = sequence;
    else runs.push({ block, from: sequence, to: sequence, held });
  }
  return runs
    .map(({ block, from, to, held }) => `${block}:${from}${to > from ? `-${to}` : ''}${held ? '!' : ''}`)
    .join(' ');
}

export function readOpen(text: string): OpenNotice[] {
  const open: OpenNotice[] = [];
  for (const [, block, from, to = from, mark] of text.matchAll(/(\d+):(\d+)(?:-(\d+))?(!)?/g)) {
    for (let sequence = Number(from); sequence <= Number(to); sequence += 1) {
      open.push({ sequence, block: Number(block), ...(mark && { held: true }) });
    }
  }
  return open;
}
