/** A loaded delivery that is not settled. */
export interface OpenDelivery {
  sequence: number;
  /** The block that holds it. */
  block: number;
  /** It waits for an operator, or an operator reopened it. */
  held?: boolean;
  /** Set when it was attempted before. */
  again?: TryAgain;
}

/** Whole seconds since 1970, none of them early. */
export interface TryAgain {
  /** Its next step. */
  due: number;
  /** Since when it blocks its lane. */
  blocks: number;
}

/** Neighboring sequences of one block. */
interface Run {
  block: number;
  /** The suffix after the numbers. */
  mark: string;
  from: number;
  to: number;
}

/**
 * Writes deliveries as one text, `7:1200-1399 7:1402@t6kgzc+t6kgxf 8:1403!`: `!` marks a held one, `@` the due time of a
 * retry to the base of 36. A database on top of SQL takes most of a second for a list of ten thousand members.
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
