import { walkLineage } from './lineage-walk.js';
import {
  type Direction,
  type LineageEdge,
  type LineageGraph,
  type LineageKind,
  type LineageNode,
  type LineageStep,
  type StepLink,
  stepKey,
  type Thing,
} from './lineage.js';

const IDENTITIES = ['digest', 'contentId', 'name'] as const;
type Identity = (typeof IDENTITIES)[number];
interface KnownThing {
  thing: Thing;
  key: string;
}
const SHORTEST_COMMIT = 7;

/** Everything that steps used and made, as one graph. */
export function createLineageGraph(given: readonly LineageStep[]) {
  const steps = [...given].sort((a, b) => (a.at < b.at ? -1 : 1));
  const nodes = new Map<string, LineageNode>();
  const edges = new Map<string, LineageEdge>();
  const things = new Map<string, KnownThing[]>();
  const byId = new Map<string, LineageStep[]>();
  for (const step of steps) addTo(byId, `${step.kind}/${step.id}`, step);

  function connect(from: string, to: string, relation: string): void {
    edges.set(`${from} ${to}`, { from, to, relation });
  }

  const thingsBy = (kind: LineageKind, identity: Identity, value: string): readonly KnownThing[] =>
    things.get(`${kind} ${identity} ${value}`) ?? [];

  /** The thing as it is known already; the one that was made last where only its name tells. */
  function findThing(thing: Thing): KnownThing | undefined {
    for (const identity of IDENTITIES) {
      const value = thing[identity];
      const known = value === undefined ? [] : thingsBy(thing.kind, identity, value);
      const found = known.findLast((each) => isSame(each.thing, thing));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function addThing(thing: Thing): string | undefined {
    const id = thing.digest ?? thing.contentId ?? thing.name;
    if (id === undefined) return undefined;
    const found = findThing(thing);
    const known = found ?? { thing: { kind: thing.kind }, key: `${thing.kind}/${id}` };
    for (const identity of IDENTITIES) {
      const value = thing[identity];
      if (known.thing[identity] !== undefined || value === undefined) continue;
      known.thing[identity] = value;
      addTo(things, `${thing.kind} ${identity} ${value}`, known);
    }
    const facts = { ...thing.facts, ...nodes.get(known.key)?.facts };
    nodes.set(known.key, { key: known.key, kind: thing.kind, id: nodes.get(known.key)?.id ?? id, facts });
    return known.key;
  }

  /** Oldest first; of an id that was given again those that have it now. */
  function findSteps({ kind, id, uid, generation }: Omit<StepLink, 'relation'>): LineageStep[] {
    const found = (byId.get(`${kind}/${id}`) ?? []).filter((step) => uid === undefined || step.uid === uid);
    const newest = found.at(-1)?.uid;
    const same = found.filter((step) => step.uid === newest).sort((a, b) => a.generation - b.generation);
    return generation === undefined ? same.slice(-1) : same.filter((step) => step.generation === generation);
  }

  // Products first: a product is known by all of its identities, and a step that uses it may know only one.
  for (const step of steps) {
    const key = stepKey(step);
    const { kind, id, generation, at } = step;
    nodes.set(key, { key, kind, id, facts: { generation, at, ...step.facts } });
    for (const made of step.makes.map(addThing)) if (made !== undefined) connect(key, made, 'made');
  }
  for (const step of steps) {
    for (const used of step.uses.map(addThing)) if (used !== undefined) connect(used, stepKey(step), 'used by');
    for (const { relation, ...link } of step.starts ?? []) {
      for (const started of findSteps(link)) connect(stepKey(step), stepKey(started), relation);
    }
  }

  return {
    /** Keys of what has this kind and id; none when there is nothing. A resource is its newest generation. */
    find(kind: LineageKind, id: string, generation?: number): string[] {
      const found = findSteps({ kind, id, generation }).map(stepKey);
      if (found.length > 0) return found;
      const exact = IDENTITIES.map((identity) => thingsBy(kind, identity, id)).find((known) => known.length > 0);
      if (exact !== undefined) return exact.map(({ key }) => key);
      if (kind !== 'commit' || id.length < SHORTEST_COMMIT) return [];
      const begins = [...nodes.keys()].filter((key) => key.startsWith(`commit/${id}`));
      return begins.length === 1 ? begins : [];
    },

    /** Adds a node that came of a resource; what is not known of the resource stays unsaid. */
    add(node: LineageNode, from: readonly StepLink[]): void {
      nodes.set(node.key, node);
      for (const { relation, ...link } of from) {
        for (const step of findSteps(link)) connect(stepKey(step), node.key, relation);
      }
    },

    /** The ancestors and descendants of the roots; of more than `limit` nodes the nearest. */
    around(root: readonly string[], direction: Direction, limit: number): LineageGraph {
      const { kept, truncated } = walkLineage([...edges.values()], { root, direction, limit });
      return {
        root: [...root],
        nodes: [...kept].flatMap((key) => nodes.get(key) ?? []),
        edges: [...edges.values()].filter(({ from, to }) => kept.has(from) && kept.has(to)),
        truncated,
      };
    },
  };
}

/** The strongest identity that both have decides. */
function isSame(one: Thing, other: Thing): boolean {
  const identity = IDENTITIES.find((each) => one[each] !== undefined && other[each] !== undefined);
  return identity !== undefined && one[identity] === other[identity];
}

function addTo<T>(lists: Map<string, T[]>, name: string, item: T): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [item]);
  else list.push(item);
}
