import { canonicalText, requireFilter } from '../../reference/filter/index.js';
import { parseId, ID_WORDS } from '../../reference/rows/id.js';
import { orderText, parseOrder } from '../../reference/dataset/order.js';
import { parseProjection } from '../../reference/dataset/projection.js';
import { explainPlan } from '../../reference/dataset/search.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { awaitMinVersion, setFreshness, versionAsked } from './freshness.js';
import { type PageTokens, queryText } from './page-token.js';
import { openMissing } from './missing.js';
import { invalid, quote, readQuery, toCount, toFlag } from '../http/parameters.js';
import { createRenderer } from './rendering.js';
import { isKnown, shortHash } from '../http/etag.js';
import { idFormOf } from './representation.js';
import type { ReferenceContext, ReferenceStep } from './state.js';

const PAGE_NAMES = ['order_by', 'page_size', 'page_token', 'fields', 'count', 'as_of', 'explain'] as const;
const DEFAULT_SIZE = 50;
const MAX_SIZE = 500;
const MOST_IDS = 200;

/** `GET /v2/{dataset}/search?q=`, `GET /v2/{dataset}` and `GET /v2/{dataset}?ids=`. */
export function createSearchRoutes({ datasets, tokens }: { datasets: Datasets; tokens: PageTokens }) {
  async function sendPage(ctx: ReferenceContext, given: PageParameters, q: string | undefined): Promise<void> {
    const { dataset } = datasets.get(ctx.params.dataset ?? '');
    const index = dataset.index?.built;
    if (index === undefined)
      throw new SlipwayError(
        'replica.loading',
        `dataset "${dataset.name}" is being indexed: try again after Retry-After`,
      );
    const { declaration, leaves } = index;
    const target = { dataset: dataset.name, leaves };
    const filter = q === undefined ? undefined : requireFilter(q, target);
    const order = parseOrder(given.order_by ?? '', target);
    const size = toSize(given.page_size);
    const projection = given.fields === undefined ? undefined : parseProjection(given.fields, declaration.spec);
    const isCounted = toCounted(given.count);
    const explained = toFlag('explain', given.explain);
    const ids = idFormOf(ctx);
    await awaitMinVersion(ctx, dataset);

    const canonical = filter === undefined ? undefined : canonicalText(filter);
    const query = queryText({ dataset: dataset.name, filter: canonical, order: orderText(order), asOf: given.as_of });
    const { generation } = declaration;
    const position =
      given.page_token === undefined ? undefined : await tokens.open(given.page_token, { query, dataset, generation });
    const version = position?.version ?? (await versionAsked(dataset, given.as_of));
    setFreshness(ctx, dataset);
    const missing = openMissing(datasets, { dataset, declaration }, ctx.state.client);
    const shown = [projection?.text ?? '*', ids, isCounted, missing?.versions ?? ''];
    const form = [query, size, ...shown, position?.after ?? ''].join(' ');
    if (!explained && isKnown(ctx, `"${version}.${generation}.${shortHash(form)}"`)) return;

    const began = performance.now();
    const page = await dataset.pages.page({ index, filter, order, version, size, after: position?.after });
    const { rows } = dataset.replica;
    const render = createRenderer({ rows, spec: declaration.spec, ids, projection, missing });
    const last = page.rows.at(-1);
    const next =
      page.hasMore && last !== undefined
        ? tokens.seal({ query, version, generation, after: rows.id(last) })
        : undefined;
    const rest = {
      ...(next !== undefined && { next_page_token: next }),
      ...(isCounted && { total_size: page.total }),
      dataset_version: version,
      ...(canonical !== undefined && { filter: canonical }),
      ...(explained && {
        explain: { plan: explainPlan(page.plan), rows_tested: page.tested, ms: performance.now() - began },
      }),
    };
    const items = page.rows.map(render);
    ctx.type = 'application/json';
    ctx.body = `{"items":[${items.join(',')}],${JSON.stringify(rest).slice(1)}`;
  }

  /** Answers rows in the order of the ids, and lists the ids that have no row. */
  async function sendBatch(ctx: ReferenceContext, given: { ids: string; fields?: string; as_of?: string }) {
    const ready = datasets.get(ctx.params.dataset ?? '');
    const { dataset, declaration } = ready;
    const asked = given.ids.split(',');
    if (asked.length > MOST_IDS)
      throw invalid('ids', `has ${asked.length} ids: send at most ${MOST_IDS} in one request`);
    const ids = asked.map((text) => {
      const id = parseId(text.trim());
      if (id === undefined)
        throw new SlipwayError('id.malformed', `${quote(text)} in ids is not an id: send ${ID_WORDS}`, {
          members: { parameter: 'ids' },
        });
      return id;
    });
    const projection = given.fields === undefined ? undefined : parseProjection(given.fields, declaration.spec);
    const form = idFormOf(ctx);
    await awaitMinVersion(ctx, dataset);
    const version = await versionAsked(dataset, given.as_of);
    setFreshness(ctx, dataset);
    const missingRefs = openMissing(datasets, ready, ctx.state.client);
    const tag = shortHash(`${given.ids} ${projection?.text ?? '*'} ${form} ${missingRefs?.versions ?? ''}`);
    if (isKnown(ctx, `"${version}.${declaration.generation}.${tag}"`)) return;
    const { rows } = dataset.replica;
    const render = createRenderer({ rows, spec: declaration.spec, ids: form, projection, missing: missingRefs });
    const items: string[] = [];
    const missing: string[] = [];
    const deleted: { id: string; deleted_at: string }[] = [];
    for (const id of ids) {
      const row = rows.findAt(id, version);
      if (row < 0) missing.push(String(id));
      else if (rows.isDeleted(row)) deleted.push({ id: String(id), deleted_at: rows.bytes(row).toString() });
      else items.push(render(row));
    }
    ctx.type = 'application/json';
    const rest = JSON.stringify({ missing, deleted, dataset_version: version });
    ctx.body = `{"items":[${items.join(',')}],${rest.slice(1)}`;
  }

  const search: ReferenceStep = async (ctx) => {
    const { q, ...given } = readQuery(ctx, ['q', ...PAGE_NAMES]);
    if (q === undefined) {
      throw new SlipwayError(
        'filter.invalid',
        'q is missing: send a filter, such as q=id>0, or GET the dataset without /search',
        {
          problems: [{ code: 'filter.empty', message: 'q is required', parameter: 'q' }],
        },
      );
    }
    await sendPage(ctx, given, q);
  };

  const list: ReferenceStep = async (ctx) => {
    const { ids, ...given } = readQuery(ctx, ['ids', ...PAGE_NAMES]);
    if (ids === undefined) return sendPage(ctx, given, undefined);
    const { fields, as_of, ...others } = given;
    const [other] = Object.keys(others);
    if (other !== undefined) throw invalid(other, 'cannot be combined with ids: leave one of the two out');
    await sendBatch(ctx, { ids, ...(fields !== undefined && { fields }), ...(as_of !== undefined && { as_of }) });
  };

  return { search, list };
}

type PageParameters = Partial<Record<(typeof PAGE_NAMES)[number], string>>;

/** @throws page.size */
function toSize(text: string | undefined): number {
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

function toCounted(text: string | undefined): boolean {
  if (text === undefined || text === 'exact') return true;
  if (text === 'none') return false;
  throw invalid('count', `${quote(text)} is not accepted: send exact or none`);
}
