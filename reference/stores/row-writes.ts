import { parseId } from '../rows/id.js';
import { parseJson } from '../rows/json.js';
import { mergePatch } from '../rows/merge-patch.js';
import { referencesIn } from '../dataset/references.js';
import { type Content, readRow } from '../rows/row.js';
import { parseRow, previousOf, rowWriterOf } from '../rows/row-validation.js';
import { createdAtOf, fieldsOf } from '../rows/row-text.js';
import type { Declaration } from '../dataset/replica.js';
import type { RowState } from '../dataset/change.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import type { Problem } from '../../platform/kinds/problem.js';
import type { ChangeDraft, ChangeResult } from './change-writer.js';
import type { Datasets } from './datasets.js';
import type { LiveDataset } from './live-dataset.js';
import { createReferrers, type FindReferrer } from './referrers.js';

/** A write of one entity, with its precondition. */
export interface RowWrite {
  dataset: string;
  id: bigint;
  actor: string;
  /** Hash of the call's `Idempotency-Key`. */
  key?: string;
  /** Throws when the current state is not as the caller expects. */
  check?: (current: RowState | undefined, declaration: Declaration) => void;
  /** Throws when this row, as it is to be stored, is not allowed. */
  accept?: (body: string) => void;
  /** Whether the caller may know of this row, which exists: a reference to another is refused. */
  sees?: (dataset: string, id: bigint) => boolean;
  /** The import that writes: while it holds the dataset, only its own writes are allowed. */
  import?: string;
  /** Ids of the same dataset that are written in the same block: references to them are not dangling. */
  together?: ReadonlySet<bigint>;
}

/** Writes single entities after validation against the declaration in force and the referenced datasets. */
export interface RowWrites {
  /** @throws entity.invalid, entity.deleted, entity.not_found, import.running, and what `check` throws */
  put(write: RowWrite, given: unknown): Promise<ChangeResult>;
  patch(write: RowWrite, patch: unknown): Promise<ChangeResult>;
  /** @throws entity.restricted when a restricting reference to it exists */
  remove(write: RowWrite): Promise<ChangeResult>;
  /** Returns the row that forbids a deletion. */
  referrerOf: FindReferrer;
  /** Validates without writing. @returns the effect of the write; undefined: none */
  wouldChange(write: Pick<RowWrite, 'dataset' | 'id' | 'together'>, given: unknown): 'create' | 'update' | undefined;
}

export interface RowWritesOptions {
  datasets: Datasets;
  /** Finds a row, of any dataset, that forbids the deletion of this entity. */
  findReferrer?: FindReferrer;
}

export function createRowWrites({ datasets, ...options }: RowWritesOptions): RowWrites {
  const { findReferrer = createReferrers({ datasets }) } = options;
  type Named = Pick<RowWrite, 'dataset' | 'id' | 'together' | 'sees'>;

  function validateContent(
    { dataset, id, together, sees = () => true }: Named,
    { spec }: Declaration,
    given: unknown,
  ): Content {
    const result = readRow(spec, withId(given, id));
    if (!result.ok) throw invalid(result.problems);
    const missing = referencesIn(spec, result.content).filter(
      (reference) =>
        !(reference.dataset === dataset && (reference.id === id || together?.has(reference.id))) &&
        !(exists(reference) && sees(reference.dataset, reference.id)),
    );
    if (missing.length > 0) throw invalid(missing.map(toProblem));
    return result.content;
  }

  function exists({ dataset: name, id }: { dataset: string; id: bigint }): boolean {
    const { rows } = datasets.get(name).dataset.replica;
    const row = rows.find(id);
    return row >= 0 && !rows.isDeleted(row);
  }

  /** @param want returns the fields to write on this state; `undefined` deletes */
  async function write(
    { id, actor, key, check, accept, import: own, ...named }: RowWrite,
    want: (dataset: LiveDataset, declaration: Declaration, current: RowState | undefined) => Content | undefined,
  ): Promise<ChangeResult> {
    const { dataset } = datasets.get(named.dataset);
    return dataset.writer.write({
      id: String(id),
      actor,
      key,
      decide(current, next): ChangeDraft | undefined {
        // Repeated for each try: validates against the declaration in force at that moment.
        const { declaration } = datasets.get(named.dataset);
        const { heldBy } = dataset.replica;
        if (heldBy !== undefined && heldBy !== own) {
          throw new SlipwayError('import.running', `import ${heldBy} holds ${named.dataset}`);
        }
        check?.(current, declaration);
        const content = want(dataset, declaration, current);
        if (content === undefined) return deletion(declaration, current);
        const draft = replacement(declaration, current, { id, content, ...next });
        if (draft?.body != null) accept?.(draft.body);
        return draft;
      },
    });
  }

  return {
    put: (each, given) => write(each, (_, declaration) => validateContent(each, declaration, given)),
    patch: (each, patch) =>
      write(each, (_, declaration, current) =>
        validateContent(each, declaration, mergePatch(parseJson(existing(each, current).body), patch)),
      ),
    remove: (each) =>
      write(each, (_, __, current) => {
        existing(each, current);
        const referring = findReferrer(each.dataset, each.id);
        if (referring !== undefined) {
          const isShown = each.sees?.(referring.dataset, BigInt(referring.id)) ?? true;
          const by = isShown ? `${referring.dataset} ${referring.id}` : 'another row';
          throw new SlipwayError('entity.restricted', `${by} refers to it`);
        }
        return undefined;
      }),
    referrerOf: findReferrer,
    wouldChange(each, given) {
      const { dataset, declaration } = datasets.get(each.dataset);
      const content = validateContent(each, declaration, given);
      const current = dataset.replica.latest(String(each.id));
      const next = { id: each.id, content, version: (current?.version ?? 0) + 1, at: new Date().toISOString() };
      if (replacement(declaration, current, next) === undefined) return undefined;
      return current?.body == null ? 'create' : 'update';
    },
  };
}

interface Replacement {
  id: bigint;
  content: Content;
  version: number;
  at: string;
}

function replacement(
  { spec }: Declaration,
  current: RowState | undefined,
  { id, content, version, at }: Replacement,
): ChangeDraft | undefined {
  const before = current?.body;
  const created_at = before == null ? at : createdAtOf(before);
  const body = rowWriterOf(spec)({ id, version, created_at, updated_at: at, content });
  if (before == null || current === undefined) return { body };
  const named = { id: String(id) };
  const isSame = fieldsOf(body, { ...named, version }) === fieldsOf(before, { ...named, version: current.version });
  return isSame ? undefined : { body, previous: previousOf(spec, parseRow(spec, before)?.content ?? {}, content) };
}

function deletion({ spec }: Declaration, current: RowState | undefined): ChangeDraft {
  const content = parseRow(spec, current?.body ?? '{}')?.content ?? {};
  return { body: null, previous: previousOf(spec, content, undefined) };
}

/** @throws entity.not_found, entity.deleted */
function existing({ dataset, id }: RowWrite, current: RowState | undefined): { body: string } {
  if (current === undefined) throw new SlipwayError('entity.not_found', `${dataset} has no entity ${id}`);
  const { body, at } = current;
  if (body === null) throw deletedAt(dataset, id, at);
  return { body };
}

export const deletedAt = (dataset: string, id: bigint, at: string): SlipwayError =>
  new SlipwayError('entity.deleted', `${dataset} ${id} was deleted at ${at}`, { members: { deleted_at: at } });

const invalid = (problems: readonly Problem[]): SlipwayError =>
  new SlipwayError(
    'entity.invalid',
    problems.length === 1 ? '1 problem in the entity' : `${problems.length} problems in the entity`,
    { problems },
  );

const toProblem = ({ dataset, id, pointer }: { dataset: string; id: bigint; pointer: string }): Problem => ({
  code: 'entity.unknown_reference',
  pointer,
  message: `${dataset} has no entity ${id}`,
});

/** Checks that an id in the body equals the one of the path. @throws entity.invalid */
function withId(given: unknown, id: bigint): unknown {
  const own = isRecord(given) ? given.id : undefined;
  if (own !== undefined && parseId(own) !== id) {
    throw invalid([{ code: 'entity.wrong_id', pointer: '/id', message: `must be the id in the path, ${id}` }]);
  }
  return given;
}
