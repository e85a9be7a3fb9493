import { requireId } from '../../reference/id.js';
import { createRowWriter, type IdForm } from '../../reference/row-writer.js';
import { parseRow } from '../../reference/row-judge.js';
import type { Declaration } from '../../reference/replica.js';
import { SlipwayError } from '../../resources/errors.js';
import type { Datasets } from '../../stores/datasets.js';
import { deletedAt } from '../../stores/entity-writes.js';
import { awaitMinVersion, setFreshness, versionAsked } from './freshness.js';
import { readQuery } from './query.js';
import { etagOf, idFormOf, isKnown } from './representation.js';
import type { ReferenceStep } from './state.js';

/** `GET /v2/{dataset}/{id}`: the bytes as they lie in memory, unless another form is asked for. */
export function createReadEntity({ datasets }: { datasets: Datasets }): ReferenceStep {
  return async function readEntity(ctx) {
    const { dataset, declaration } = datasets.get(ctx.params.dataset ?? '');
    const id = requireId(ctx.params.id);
    const { as_of: asOf } = readQuery(ctx, ['as_of']);
    const ids = idFormOf(ctx);
    await awaitMinVersion(ctx, dataset);
    const { rows } = dataset.replica;
    const row = rows.findAt(id, await versionAsked(dataset, asOf));
    setFreshness(ctx, dataset);
    if (row < 0) throw new SlipwayError('entity.not_found', `${dataset.name} has no entity ${id}`);
    const bytes = rows.bytes(row);
    if (rows.isDeleted(row)) throw deletedAt(dataset.name, id, bytes.toString());
    const { generation } = declaration;
    ctx.set('Last-Modified', lastModifiedOf(bytes));
    if (isKnown(ctx, etagOf({ version: rows.version(row), generation, ids }))) return;
    ctx.type = 'application/json';
    ctx.body = ids === 'string' ? bytes : rendered(declaration, bytes, ids);
  };
}

/** A row ends with the time of its last change. */
export const lastModifiedOf = (bytes: Buffer): string =>
  new Date(bytes.toString('latin1', bytes.length - 26, bytes.length - 2)).toUTCString();

function rendered({ spec }: Declaration, bytes: Buffer, ids: IdForm): string {
  const row = parseRow(spec, bytes.toString());
  if (row === undefined) throw new SlipwayError('internal', 'a stored row does not fit its declaration');
  return createRowWriter(spec, { ids })(row);
}
