import type { Direction, LineageEdge } from './lineage.js';

export interface LineageWalk {
  /** Keys of the nodes that the walk begins at. */
  root: readonly string[];
  direction: Direction;
  /** Most nodes that are kept. */
  limit: number;
}

type Way = Exclude<Direction, 'both'>;
const WAYS: readonly Way[] = ['upstream', 'downstream'];

/** @returns the keys of the ancestors and descendants of the roots; of more than `limit` nodes the nearest */
export function walkLineage(
  edges: readonly LineageEdge[],
  { root, direction, limit }: LineageWalk,
): { kept: Set<string>; truncated: boolean } {
  const kept = new Set(root);
  const ways = WAYS.filter((way) => direction === 'both' || direction === way);
  const neighbours = ways.map((way) => neighboursOf(edges, way));
  let truncated = false;
  // Step by step on both sides, so that neither crowds the other out.
  let fronts: (readonly string[])[] = ways.map(() => root);
  while (fronts.some((front) => front.length > 0)) {
    fronts = fronts.map((front, side) => {
      const next: string[] = [];
      for (const key of front.flatMap((from) => neighbours[side]?.get(from) ?? [])) {
        if (kept.has(key)) continue;
        if (kept.size >= limit) truncated = true;
        else next.push(key);
        if (kept.size < limit) kept.add(key);
      }
      return next;
    });
  }
  return { kept, truncated };
}

function neighboursOf(edges: readonly LineageEdge[], way: Way): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const [start, end] = way === 'downstream' ? [from, to] : [to, from];
    const list = found.get(start);
    if (list === undefined) found.set(start, [end]);
    else list.push(end);
  }
  return found;
}
