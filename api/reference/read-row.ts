import { requireId } from '../../reference/rows/id.js';
import { parseProjection } from '../../reference/dataset/projection.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { deletedAt } from '../../reference/stores/row-writes.js';
import { awaitMinVersion, setFreshness, versionAsked } from './freshness.js';
import { openMissing } from './missing.js';
import { lastModifiedOf } from './last-modified.js';
import { readQuery } from '../http/parameters.js';
import { createRenderer } from './rendering.js';
import { rowTestFor } from './row-rules.js';
import { isKnown } from '../http/etag.js';
import { etagOf, idFormOf } from './representation.js';
import type { ReferenceStep } from './state.js';

/** `GET /v2/{dataset}/{id}`: one row as stored, unless the request asks for another form. */
export function createReadRow({ datasets }: { datasets: Datasets }): ReferenceStep {
  return async function readRow(ctx) {
    const ready = datasets.get(ctx.params.dataset ?? '');
    const { dataset, declaration } = ready;
    const id = requireId(ctx.params.id);
    const { as_of: asOf, fields } = readQuery(ctx, ['as_of', 'fields']);
    const projection = fields === undefined ? undefined : parseProjection(fields, declaration.spec);
    const ids = idFormOf(ctx);
    await awaitMinVersion(ctx, dataset);
    const { rows } = dataset.replica;
    const row = rows.findAt(id, await versionAsked(dataset, asOf));
    setFreshness(ctx, dataset);
    const sees = rowTestFor(ctx.state.client, ready);
    if (row < 0 || (sees && (rows.isDeleted(row) || !sees(rows.bytes(row).toString()))))
      throw new SlipwayError(
        'entity.not_found',
        `${dataset.name} has no entity ${id}: GET /v2/${dataset.name}/search finds ids`,
      );
    const bytes = rows.bytes(row);
    if (rows.isDeleted(row)) throw deletedAt(dataset.name, id, bytes.toString());
    const { generation, spec } = declaration;
    const missing = openMissing(datasets, ready, ctx.state.client);
    const shown = { version: rows.version(row), generation, ids, fields: projection?.text, missing: missing?.of(row) };
    ctx.set('Last-Modified', lastModifiedOf(bytes));
    if (isKnown(ctx, etagOf(shown))) return;
    ctx.type = 'application/json';
    ctx.body = createRenderer({ rows, spec, ids, projection, missing })(row);
  };
}
