import { canonicalText, requireFilter } from '../../reference/filter/index.js';
import { withRule } from '../../reference/filter/rule.js';
import { orderText, parseOrder } from '../../reference/dataset/order.js';
import { parseProjection } from '../../reference/dataset/projection.js';
import { explainPlan } from '../../reference/dataset/search.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { requireIndex } from './built-index.js';
import { withDistances } from './distances.js';
import { awaitMinVersion, setFreshness, versionAsked } from './freshness.js';
import { type PageTokens, queryText } from './page-token.js';
import { openMissing } from './missing.js';
import { invalid, quote, toCount, toFlag } from '../http/parameters.js';
import { createRenderer } from './rendering.js';
import { requireDeclaredAt, requireUnruled, ruleFor } from './row-rules.js';
import { figuresJson, toFigures } from './search-figures.js';
import { isKnown, shortHash } from '../http/etag.js';
import { idFormOf } from './representation.js';
import type { ReferenceContext } from './state.js';

export const PAGE_NAMES = [
  'order_by',
  'page_size',
  'page_token',
  'fields',
  'count',
  'as_of',
  'explain',
  'facets',
  'aggregates',
] as const;
export type PageParameters = Partial<Record<(typeof PAGE_NAMES)[number] | 'q', string>>;

export interface SearchDeps {
  datasets: Datasets;
  tokens: PageTokens;
}

const DEFAULT_SIZE = 50;
const MAX_SIZE = 500;

/** Answers one page of the rows that match a filter; without one, of all rows. */
export async function sendPage(
  { datasets, tokens }: SearchDeps,
  ctx: ReferenceContext,
  { q, ...given }: PageParameters,
): Promise<void> {
  const { dataset } = datasets.get(ctx.params.dataset ?? '');
  const index = requireIndex(dataset);
  const { declaration, leaves, points } = index;
  const target = { dataset: dataset.name, leaves, points };
  const filter = q === undefined ? undefined : requireFilter(q, target);
  const rule = ruleFor(ctx.state.client, target);
  const all = withRule(rule, filter);
  const order = parseOrder(given.order_by ?? '', target, filter);
  const size = toSize(given.page_size);
  const projection = given.fields === undefined ? undefined : parseProjection(given.fields, declaration.spec);
  const isCounted = toCounted(given.count);
  const explained = toFlag('explain', given.explain);
  // A plan counts the rows of all callers.
  if (explained && rule !== undefined) requireUnruled(ctx.state.client);
  const figures = toFigures(given, target);
  const ids = idFormOf(ctx);
  await awaitMinVersion(ctx, dataset);

  const canonical = filter === undefined ? undefined : canonicalText(filter);
  const bound = all === undefined ? undefined : canonicalText(all);
  const query = queryText({ dataset: dataset.name, filter: bound, order: orderText(order), asOf: given.as_of });
  const { generation } = declaration;
  const position =
    given.page_token === undefined ? undefined : await tokens.open(given.page_token, { query, dataset, generation });
  const version = position?.version ?? (await versionAsked(dataset, given.as_of));
  requireDeclaredAt(rule, declaration, version);
  setFreshness(ctx, dataset);
  const missing = openMissing(datasets, { dataset, declaration }, ctx.state.client);
  const counted = [figures.facets, figures.aggregates].map((leaves) => leaves.map(({ path }) => path).join()).join(';');
  const shown = [projection?.text ?? '*', ids, isCounted, counted, missing?.versions ?? ''];
  const form = [query, size, ...shown, position?.after ?? ''].join(' ');
  if (!explained && isKnown(ctx, `"${version}.${generation}.${shortHash(form)}"`)) return;

  const began = performance.now();
  const page = await dataset.pages.page({ index, filter: all, order, version, size, after: position?.after });
  const members = await figuresJson(figures, index, {
    ids,
    rows: () => dataset.pages.matching({ index, filter: all, version }),
  });
  const { rows } = dataset.replica;
  const render = createRenderer({ rows, spec: declaration.spec, ids, projection, missing });
  const last = page.rows.at(-1);
  const next =
    page.hasMore && last !== undefined ? tokens.seal({ query, version, generation, after: rows.id(last) }) : undefined;
  const rest = {
    ...(next !== undefined && { next_page_token: next }),
    ...(isCounted && { total_size: page.total }),
    dataset_version: version,
    ...(canonical !== undefined && { filter: canonical }),
    ...(explained && {
      explain: { plan: explainPlan(page.plan), rows_tested: page.tested, ms: performance.now() - began },
    }),
  };
  const items = page.rows.map(withDistances(render, { filter, points, columns: index.columns }));
  ctx.type = 'application/json';
  ctx.body = `{"items":[${items.join(',')}],${members === undefined ? '' : `${members},`}${JSON.stringify(rest).slice(1)}`;
}

/** @throws page.size */
export function toSize(text: string | undefined): number {
  if (text === undefined) return DEFAULT_SIZE;
  try {
    return Math.min(MAX_SIZE, toCount('page_size', text, { from: 1, to: Number.MAX_SAFE_INTEGER }));
  } catch (cause) {
    throw new SlipwayError(
      'page.size',
      `page_size ${quote(text)} is not accepted: send an integer from 1 to ${MAX_SIZE}`,
      { cause },
    );
  }
}

/** Whether the total is counted. @throws parameter.invalid */
export function toCounted(text: string | undefined): boolean {
  if (text === undefined || text === 'exact') return true;
  if (text === 'none') return false;
  throw invalid('count', `${quote(text)} is not accepted: send exact or none`);
}
