import type { components } from '../../client/index.js';
import { LINEAGE_KINDS, type Direction } from '../../lifecycle/kinds/lineage.js';
import { colored } from '../output/state-color.js';
import type { Terminal } from '../terminal.js';
import { aboutOf, nameOfNode } from './about.js';

type Graph = components['schemas']['Lineage'];
type Node = Graph['nodes'][number];
type Way = Exclude<Direction, 'both'>;

const TITLES: Record<Way, string> = { upstream: 'comes of', downstream: 'led to' };

/** A graph as a person reads it: what was asked for, what that came of, and what came of it. */
export function toTrees(graph: Graph, direction: Direction, paint: Terminal['paint']): string[] {
  const nodes = new Map(graph.nodes.map((node) => [node.key, node]));
  const roots = graph.root.flatMap((key) => nodes.get(key) ?? []);
  const lineOf = (node: Node): string => {
    const { state, ...rest } = aboutOf(node);
    const about = [...(state === undefined ? [] : [colored(paint, state)]), ...rest.facts];
    return [paint('bold', nameOfNode(node)), ...about].join('  ');
  };
  const ways = (['upstream', 'downstream'] as const).filter((way) => direction === 'both' || direction === way);
  return [
    ...roots.map(lineOf),
    ...ways.flatMap((way) => {
      const branches = branchesOf(graph, nodes, way);
      const lines = roots.flatMap((root) => draw(root.key, { branches, nodes, lineOf }));
      return lines.length === 0 ? [] : ['', `${TITLES[way]}:`, ...lines];
    }),
  ];
}

/**
 * Assigns each node to the parent nearest to the roots, so that every node is shown once; the JSON has all edges.
 */
function branchesOf({ root, edges }: Graph, nodes: ReadonlyMap<string, Node>, way: Way): Map<string, string[]> {
  const branches = new Map<string, string[]>();
  const seen = new Set(root);
  let front: readonly string[] = root;
  while (front.length > 0) {
    const next: string[] = [];
    for (const key of front) {
      const found = edges
        .flatMap(({ from, to }) => (way === 'upstream' ? (to === key ? [from] : []) : from === key ? [to] : []))
        .filter((each) => nodes.has(each) && !seen.has(each));
      const ordered = [...new Set(found)].sort((a, b) => rankOf(nodes.get(a), way) - rankOf(nodes.get(b), way));
      for (const each of ordered) seen.add(each);
      branches.set(key, ordered);
      next.push(...ordered);
    }
    front = next;
  }
  return branches;
}

/** The kind made nearest to the root comes first. */
const rankOf = (node: Node | undefined, way: Way): number =>
  LINEAGE_KINDS.findIndex((kind) => kind === node?.kind) * (way === 'upstream' ? -1 : 1);

interface Drawing {
  branches: ReadonlyMap<string, readonly string[]>;
  nodes: ReadonlyMap<string, Node>;
  lineOf: (node: Node) => string;
}

function draw(key: string, drawing: Drawing, indent = ''): string[] {
  const { branches, nodes, lineOf } = drawing;
  const below = branches.get(key) ?? [];
  return below.flatMap((each, at) => {
    const isLast = at === below.length - 1;
    const node = nodes.get(each);
    const line = node === undefined ? [] : [`${indent}${isLast ? '└─ ' : '├─ '}${lineOf(node)}`];
    return [...line, ...draw(each, drawing, `${indent}${isLast ? '   ' : '│  '}`)];
  });
}
