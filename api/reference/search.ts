import { SlipwayError } from '../../platform/kinds/errors.js';
import { invalid, readQuery } from '../http/parameters.js';
import { sendBatch } from './search-batch.js';
import { PAGE_NAMES, type SearchDeps, sendPage } from './search-page.js';
import type { ReferenceStep } from './state.js';

/** `GET /v2/{dataset}/search?q=`, `GET /v2/{dataset}` and `GET /v2/{dataset}?ids=`. */
export const createSearchRoutes = (deps: SearchDeps) => ({ search: search(deps), list: list(deps) });

const search =
  (deps: SearchDeps): ReferenceStep =>
  async (ctx) => {
    const query = readQuery(ctx, ['q', ...PAGE_NAMES]);
    if (query.q === undefined) {
      throw new SlipwayError(
        'filter.invalid',
        'q is missing: send a filter, such as q=id>0, or GET the dataset without /search',
        {
          problems: [{ code: 'filter.empty', message: 'q is required', parameter: 'q' }],
        },
      );
    }
    await sendPage(deps, ctx, query);
  };

const list =
  (deps: SearchDeps): ReferenceStep =>
  async (ctx) => {
    const { ids, ...given } = readQuery(ctx, ['ids', ...PAGE_NAMES]);
    if (ids === undefined) return sendPage(deps, ctx, given);
    const { fields, as_of, ...others } = given;
    const [other] = Object.keys(others);
    if (other !== undefined) throw invalid(other, 'cannot be combined with ids: leave one of the two out');
    await sendBatch(deps.datasets, ctx, {
      ids,
      ...(fields !== undefined && { fields }),
      ...(as_of !== undefined && { as_of }),
    });
  };
