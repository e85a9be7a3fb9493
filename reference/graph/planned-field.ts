import type { FieldNode } from 'graphql';
import type { Leaf } from '../dataset/dataset-leaves.js';
import type { FigureKind } from '../dataset/figures.js';
import type { LookupArguments, SearchArguments } from './arguments.js';
import type { FieldMeaning } from './field-meaning.js';
import type { DatasetView } from './view.js';

/** Meanings of fields that take arguments. */
export type ArgumentKind = 'rows' | 'referring' | 'one' | 'by_ids' | 'lookup' | FigureKind;

/** The work of a field without arguments: the same for every request. */
export type FixedWork =
  | { kind: 'typename'; text: string }
  | { kind: 'introspection'; nodes: readonly FieldNode[] }
  | Exclude<FieldMeaning, { kind: ArgumentKind }>;

/** The work of a field of a request, with its arguments. */
export type Work =
  | FixedWork
  | {
      kind: 'rows';
      view: DatasetView;
      search: SearchArguments;
      /** Only rows that refer through it. */ leaf?: Leaf | undefined;
    }
  | { kind: FigureKind; leaves: readonly Leaf[] }
  | { kind: 'ids'; view: DatasetView; ids: readonly bigint[]; list: boolean }
  | { kind: 'lookup'; view: DatasetView; lookup: LookupArguments };

/** A field of a request. */
export interface PlannedField {
  /** `"key":` */
  prefix: string;
  path: readonly string[];
  node: FieldNode;
  work: Work;
  members: readonly PlannedField[];
  /** Cost of the field and all within it, per parent object. */
  cost: number;
  /**
   * The datasets that the members are read from, besides the rows whose members they are. Absent when the members
   * depend on other arguments of the request.
   */
  reach?: readonly string[] | undefined;
}
