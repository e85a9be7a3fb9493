/** A notice that is loaded and not settled. */
export interface OpenDelivery {
  sequence: number;
  /** That holds it. */
  block: number;
  /** It waits for people, or they re-opened it. */
  held?: boolean;
  /** Of one that was tried before. */
  again?: TryAgain;
}

/** Whole seconds since 1970, none of them early. */
export interface TryAgain {
  /** Its next step. */
  due: number;
  /** Since when it keeps others of its lane waiting. */
  blocks: number;
}

/** Neighboring sequences of one block. */
interface Run {
  block: number;
  /** What stands behind the numbers. */
  mark: string;
  from: number;
  to: number;
}

/**
 * All of them as one text, `7:1200-1399 7:1402@t6kgzc+t6kgxf 8:1403!`, of which `!` marks what is held, and `@` when one
 * is due that was tried before, to the base of 36: a database that stands on SQL takes most of a second to read or write
 * ten thousand members of a list.
 * @param open in order of sequence
 */
export function writeOpen(open: readonly OpenDelivery[]): string {
  const runs: Run[] = [];
  for (const { sequence, block, held, again } of open) {
    const mark = `${held ? '!' : ''}${again ? `@${again.due.toString(36)}+${again.blocks.toString(36)}` : ''}`;
    const run = runs.at(-1);
    if (run?.to === sequence - 1 && run.block === block && run.mark === mark) run.to = sequence;
    else runs.push({ block, from: sequence, to: sequence, mark });
  }
  return runs.map(({ block, from, to, mark }) => `${block}:${from}${to > from ? `-${to}` : ''}${mark}`).join(' ');
}

const RUN = /(\d+):(\d+)(?:-(\d+))?(!)?(?:@([0-9a-z]+)\+([0-9a-z]+))?/g;

export function readOpen(text: string): OpenDelivery[] {
  const open: OpenDelivery[] = [];
  for (const [, block, from, to = from, held, due, blocks] of text.matchAll(RUN)) {
    const again = due !== undefined && blocks !== undefined && { due: parseInt(due, 36), blocks: parseInt(blocks, 36) };
    for (let sequence = Number(from); sequence <= Number(to); sequence += 1) {
      open.push({ sequence, block: Number(block), ...(held && { held: true }), ...(again && { again }) });
    }
  }
  return open;
}
