import { parseId, ID_WORDS } from '../../reference/rows/id.js';
import type { RowStore } from '../../reference/rows/row-store.js';
import { parseProjection } from '../../reference/dataset/projection.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { awaitMinVersion, setFreshness, versionAsked } from './freshness.js';
import { openMissing } from './missing.js';
import { invalid, quote } from '../http/parameters.js';
import { createRenderer } from './rendering.js';
import { isKnown, shortHash } from '../http/etag.js';
import { rowTestFor, type SeesRow } from './row-rules.js';
import { idFormOf } from './representation.js';
import type { ReferenceContext } from './state.js';

const MOST_IDS = 200;

/** The rows of a batch of ids at one version, in the order of the ids. */
export interface BatchRows {
  found: number[];
  missing: string[];
  deleted: { id: string; deleted_at: string }[];
}

/** Answers rows in the order of the ids, and lists the ids that have no row. */
export async function sendBatch(
  datasets: Datasets,
  ctx: ReferenceContext,
  given: { ids: string; fields?: string; as_of?: string },
): Promise<void> {
  const ready = datasets.get(ctx.params.dataset ?? '');
  const { dataset, declaration } = ready;
  const ids = parseIds(given.ids);
  const projection = given.fields === undefined ? undefined : parseProjection(given.fields, declaration.spec);
  const form = idFormOf(ctx);
  await awaitMinVersion(ctx, dataset);
  const version = await versionAsked(dataset, given.as_of);
  setFreshness(ctx, dataset);
  const missingRefs = openMissing(datasets, ready, ctx.state.client);
  const sees = rowTestFor(ctx.state.client, ready);
  const rule = ctx.state.client.rowFilters?.get(dataset.name) ?? '';
  const tag = shortHash(`${given.ids} ${rule} ${projection?.text ?? '*'} ${form} ${missingRefs?.versions ?? ''}`);
  if (isKnown(ctx, `"${version}.${declaration.generation}.${tag}"`)) return;
  const { rows } = dataset.replica;
  const render = createRenderer({ rows, spec: declaration.spec, ids: form, projection, missing: missingRefs });
  const { found, missing, deleted } = findRows(rows, ids, { version, sees });
  const items = found.map(render);
  ctx.type = 'application/json';
  const rest = JSON.stringify({ missing, deleted, dataset_version: version });
  ctx.body = `{"items":[${items.join(',')}],${rest.slice(1)}`;
}

/** @throws parameter.invalid, id.malformed */
export function parseIds(text: string): bigint[] {
  const asked = text.split(',');
  if (asked.length > MOST_IDS) throw invalid('ids', `has ${asked.length} ids: send at most ${MOST_IDS} in one request`);
  return asked.map((each) => {
    const id = parseId(each.trim());
    if (id === undefined)
      throw new SlipwayError('id.malformed', `${quote(each)} in ids is not an id: send ${ID_WORDS}`, {
        members: { parameter: 'ids' },
      });
    return id;
  });
}

export function findRows(
  rows: Pick<RowStore, 'findAt' | 'isDeleted' | 'bytes'>,
  ids: readonly bigint[],
  { version, sees }: { version: number; sees?: SeesRow | undefined },
): BatchRows {
  const batch: BatchRows = { found: [], missing: [], deleted: [] };
  for (const id of ids) {
    const row = rows.findAt(id, version);
    const isHidden = sees && row >= 0 && (rows.isDeleted(row) || !sees(rows.bytes(row).toString()));
    if (row < 0 || isHidden) batch.missing.push(String(id));
    else if (rows.isDeleted(row)) batch.deleted.push({ id: String(id), deleted_at: rows.bytes(row).toString() });
    else batch.found.push(row);
  }
  return batch;
}
