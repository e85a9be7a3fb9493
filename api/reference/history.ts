import { parseJson } from '../../reference/rows/json.js';
import { requireId } from '../../reference/rows/id.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Change } from '../../reference/dataset/change.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { setFreshness } from './freshness.js';
import { readQuery } from '../http/parameters.js';
import { openToken } from './page-token.js';
import type { ReferenceStep } from './state.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';

const PAGE = 50;
const PLACE = secretPlaces.token('history');

/** `GET /v2/{dataset}/{id}/history`: versions from the newest to the oldest, by point reads of their records. */
export function createHistory({ datasets, tokens }: { datasets: Datasets; tokens: SecretBox }): ReferenceStep {
  return async function history(ctx) {
    const { dataset } = datasets.get(ctx.params.dataset ?? '');
    const id = requireId(ctx.params.id);
    const { page_token: token } = readQuery(ctx, ['page_token']);
    const row = dataset.replica.rows.findAt(id, dataset.replica.newest);
    if (row < 0)
      throw new SlipwayError(
        'entity.not_found',
        `${dataset.name} has no entity ${id}: GET /v2/${dataset.name}/search finds ids`,
      );
    const scope = `history ${dataset.name}/${id} `;
    const from = token === undefined ? dataset.replica.rows.version(row) : versionOf(tokens, token, scope);
    const to = Math.max(1, from - PAGE + 1);
    const versions = Array.from({ length: from - to + 1 }, (_, index) => from - index);
    const changes = await Promise.all(versions.map((version) => dataset.records.get(String(id), version)));
    setFreshness(ctx, dataset);
    ctx.type = 'application/json';
    const items = changes.flatMap((change) => (change === undefined ? [] : [toChangeItem(change)]));
    const next = to > 1 ? `,"next_page_token":${JSON.stringify(tokens.seal(`${scope}${to - 1}`, PLACE))}` : '';
    ctx.body = `{"items":[${items.join(',')}]${next}}`;
  };
}

/** Rows are inserted as stored JSON text. */
export function toChangeItem({ version, at, actor, body, previous }: Change): string {
  const operation = body === null ? 'delete' : previous === undefined ? 'create' : 'update';
  // A row is always stored as an object.
  const changed = previous === undefined ? [] : Object.keys(parseJson(previous) as object);
  const head = JSON.stringify({ version, at, actor, operation, changed });
  return `${head.slice(0, -1)},"previous":${previous ?? 'null'},"entity":${body ?? 'null'}}`;
}

function versionOf(tokens: SecretBox, token: string, scope: string): number {
  const text = openToken({ box: tokens, place: PLACE, token }, (opened) => opened);
  if (!text.startsWith(scope)) {
    throw new SlipwayError('page.token_mismatch', 'page_token belongs to another row: use that of the same history');
  }
  return Number(text.slice(scope.length));
}
