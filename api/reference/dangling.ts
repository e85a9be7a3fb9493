import { requireId } from '../../reference/rows/id.js';
import { referencesOf } from '../../reference/dataset/dataset-validation.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { ReferenceAudits } from '../../reference/stores/reference-audits.js';
import { requireScope } from './credentials.js';
import { awaitMinVersion, setFreshness } from './freshness.js';
import { readQuery, toCount } from '../http/parameters.js';
import { requireUnruled } from './row-rules.js';
import type { ReferenceStep } from './state.js';

const MOST_ROWS = 200;

/** `GET /v2/datasets/{name}/dangling`: rows whose references lead to no row, by their ids. */
export const createDangling =
  ({ datasets, audits }: { datasets: Datasets; audits: ReferenceAudits }): ReferenceStep =>
  async (ctx) => {
    const { after, limit } = readQuery(ctx, ['after', 'limit']);
    const { dataset, declaration } = datasets.get(ctx.params.name ?? '');
    // The answer shows which rows of those datasets exist.
    for (const target of referencesOf(declaration.spec)) {
      requireScope(ctx.state.client, `data:read:${target}`);
      requireUnruled(ctx.state.client, target);
    }
    const size = limit === undefined ? 50 : toCount('limit', limit, { from: 1, to: MOST_ROWS });
    await awaitMinVersion(ctx, dataset);
    const position = { after: after === undefined ? undefined : requireId(after), size };
    const { audit, items, hasMore } = await audits.page(dataset.name, position);
    setFreshness(ctx, dataset);
    ctx.body = {
      items: items.map(({ id, references }) => ({
        id: String(id),
        references: references.map((each) => ({ ...each, id: String(each.id) })),
      })),
      total_rows: audit.rows,
      total_references: audit.references,
      dataset_version: audit.version,
      ...(hasMore && { next_after: String(items.at(-1)?.id) }),
    };
  };
