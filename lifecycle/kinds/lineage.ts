/** Kinds of nodes in lineage, each after the kinds that it is made of. */
export const LINEAGE_KINDS = [
  'pipeline',
  'pipeline-run',
  'commit',
  'data',
  'training',
  'artifact',
  'packaging',
  'image',
  'deployment',
  'request',
] as const;
export type LineageKind = (typeof LINEAGE_KINDS)[number];

/** Facts of a node for display; JSON. */
export type Facts = Record<string, unknown>;

/**
 * An input or a product: identified by its digest where both sides know one, else by the id of its content,
 * else by its name. A name can be given twice, a digest cannot.
 */
export interface Thing {
  kind: LineageKind;
  digest?: string;
  contentId?: string;
  name?: string;
  facts?: Facts;
}

/** One generation of a resource that turns things into others, when it did. */
export interface LineageStep {
  kind: LineageKind;
  id: string;
  uid: string;
  generation: number;
  /** RFC 3339 UTC. */
  at: string;
  uses: Thing[];
  makes: Thing[];
  /** Resources that this one set going. */
  starts?: StepLink[];
  facts: Facts;
}

/** A resource by its id; the newest generation where there is none. */
export interface StepLink {
  kind: LineageKind;
  id: string;
  uid?: string;
  generation?: number;
  relation: string;
}

export interface LineageNode {
  /** Names the node within one graph. */
  key: string;
  kind: LineageKind;
  id: string;
  facts: Facts;
}
export interface LineageEdge {
  from: string;
  to: string;
  relation: string;
}
export interface LineageGraph {
  /** Keys of the nodes that were asked for. */
  root: string[];
  nodes: LineageNode[];
  edges: LineageEdge[];
  /** There is more than is shown. */
  truncated: boolean;
}

export const stepKey = ({
  kind,
  id,
  uid,
  generation,
}: Pick<LineageStep, 'kind' | 'id' | 'uid' | 'generation'>): string => `${kind}/${id}/${uid}/${generation}`;

export const DIRECTIONS = ['upstream', 'downstream', 'both'] as const;
export type Direction = (typeof DIRECTIONS)[number];
