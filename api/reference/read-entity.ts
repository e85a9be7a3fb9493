import { requireId } from '../../reference/id.js';
import { parseProjection } from '../../reference/projection.js';
import { SlipwayError } from '../../resources/errors.js';
import type { Datasets } from '../../stores/datasets.js';
import { deletedAt } from '../../stores/entity-writes.js';
import { awaitMinVersion, setFreshness, versionAsked } from './freshness.js';
import { readQuery } from './query.js';
import { createRenderer } from './rendering.js';
import { etagOf, idFormOf, isKnown } from './representation.js';
import type { ReferenceStep } from './state.js';

/** `GET /v2/{dataset}/{id}`: the bytes as they lie in memory, unless another form is asked for. */
export function createReadEntity({ datasets }: { datasets: Datasets }): ReferenceStep {
  return async function readEntity(ctx) {
    const { dataset, declaration } = datasets.get(ctx.params.dataset ?? '');
    const id = requireId(ctx.params.id);
    const { as_of: asOf, fields } = readQuery(ctx, ['as_of', 'fields']);
    const projection = fields === undefined ? undefined : parseProjection(fields, declaration.spec);
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
    if (isKnown(ctx, etagOf({ version: rows.version(row), generation, ids, fields: projection?.text }))) return;
    ctx.type = 'application/json';
    const { spec } = declaration;
    const isStored = ids === 'string' && projection === undefined;
    ctx.body = isStored ? bytes : createRenderer({ spec, ids, projection })(bytes);
  };
}

/** A row ends with the time of its last change. */
export const lastModifiedOf = (bytes: Buffer): string =>
  new Date(bytes.toString('latin1', bytes.length - 26, bytes.length - 2)).toUTCString();
