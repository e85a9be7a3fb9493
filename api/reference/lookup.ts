import { canonicalText, requireFilter } from '../../reference/filter/index.js';
import { withRule } from '../../reference/filter/rule.js';
import { lookUp } from '../../reference/dataset/lookup-query.js';
import { parseProjection } from '../../reference/dataset/projection.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { requireIndex } from './built-index.js';
import { withDistances } from './distances.js';
import { awaitMinVersion, setFreshness } from './freshness.js';
import { lookupJson, lookupTag } from './lookup-answer.js';
import { openMissing } from './missing.js';
import { readQuery, toCount } from '../http/parameters.js';
import { createRenderer } from './rendering.js';
import { requireDeclaredAt, ruleFor } from './row-rules.js';
import { isKnown } from '../http/etag.js';
import { idFormOf } from './representation.js';
import type { ReferenceStep } from './state.js';

export const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
/** Code points. */
const LONGEST = 200;

/** `GET /v2/{dataset}/lookup?q=`: the best rows for what was typed so far. */
export function createLookup({ datasets }: { datasets: Datasets }): ReferenceStep {
  return async (ctx) => {
    const given = readQuery(ctx, ['q', 'limit', 'filter', 'fields']);
    const text = toText(given.q);
    const limit = given.limit === undefined ? DEFAULT_LIMIT : toCount('limit', given.limit, { from: 1, to: MAX_LIMIT });
    const { dataset } = datasets.get(ctx.params.dataset ?? '');
    const index = requireIndex(dataset);
    const { declaration, leaves, points } = index;
    const target = { dataset: dataset.name, leaves, points };
    const filter =
      given.filter === undefined ? undefined : requireFilter(given.filter, target, { parameter: 'filter' });
    const rule = ruleFor(ctx.state.client, target);
    const projection = given.fields === undefined ? undefined : parseProjection(given.fields, declaration.spec);
    const ids = idFormOf(ctx);
    await awaitMinVersion(ctx, dataset);

    const version = dataset.replica.visible;
    requireDeclaredAt(rule, declaration, version);
    setFreshness(ctx, dataset);
    const { generation, spec } = declaration;
    const missing = openMissing(datasets, { dataset, declaration }, ctx.state.client);
    const form = {
      text,
      limit,
      filter: rule === undefined ? given.filter : `${given.filter ?? ''} ${canonicalText(rule)}`,
      fields: projection?.text,
      ids,
      missing,
    };
    if (isKnown(ctx, lookupTag({ version, generation }, form))) return;
    const { rows } = dataset.replica;
    const answer = await lookUp(
      { rows, pages: dataset.pages, index },
      {
        ...{ text, limit, version },
        filter: withRule(rule, filter),
      },
    );
    const render = withDistances(createRenderer({ rows, spec, ids, projection, missing }), {
      ...{ filter, points },
      columns: index.columns,
    });
    ctx.type = 'application/json';
    ctx.body = Buffer.from(lookupJson(answer, { rows, leaves, version, render }), 'latin1');
  };
}

/** @throws lookup.q_required, lookup.query_too_long */
export function toText(q: string | undefined): string {
  if (q === undefined)
    throw new SlipwayError(
      'lookup.q_required',
      'q is missing: send the text typed so far, or an empty one for the most popular rows',
    );
  // A code point has at most two units, so a far longer text is not counted.
  if (q.length > 2 * LONGEST || [...q].length > LONGEST) {
    throw new SlipwayError('lookup.query_too_long', `q is too long: send at most ${LONGEST} characters`);
  }
  return q;
}
