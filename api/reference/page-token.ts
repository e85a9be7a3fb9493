import { z } from 'zod';
import { parseId } from '../../reference/rows/id.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { LiveDataset } from '../../reference/stores/live-dataset.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { awaitVersion } from './freshness.js';
import { shortHash } from '../http/etag.js';

/** Where a walk goes on, and over which state. */
export interface PagePlace {
  /** What must stay the same within a walk: dataset, filter and order in their canonical form. */
  query: string;
  /** Dataset version that every page of the walk shows. */
  version: number;
  /** Generation of the declaration that the walk began with. */
  generation: number;
  /** Id of the last row of the page before. */
  after: bigint;
}

/** What a page token is bound to, filter and order in their canonical form; `as_of` too, as it names the state of the walk. */
export const queryText = ({ dataset, filter, order, asOf = '' }: Walk): string =>
  shortHash(JSON.stringify([dataset, filter ?? null, order, asOf]));

interface Walk {
  dataset: string;
  filter: string | undefined;
  order: string;
  asOf?: string | undefined;
}

const HOUR_MS = 3_600_000;
const Sealed = z.tuple([z.string(), z.int(), z.int(), z.string(), z.int()]);

export interface PageTokens {
  /** The dataset version that a token is of. @throws page.token_malformed */
  versionOf(token: string): number;
  seal(place: PagePlace): string;
  /**
   * @throws page.token_malformed, page.token_mismatch, page.token_expired; replica.behind when this process does not
   *   know the version yet
   */
  open(token: string, asked: { query: string; dataset: LiveDataset; generation: number }): Promise<PagePlace>;
}

/** Sealed: a client can neither read nor make one. It gives no access; credentials are checked each time. */
export function createPageTokens({ box, now = Date.now }: { box: SecretBox; now?: () => number }): PageTokens {
  return {
    seal: ({ query, version, generation, after }) =>
      box.seal(JSON.stringify([query, version, generation, String(after), now() + HOUR_MS])),
    versionOf: (token) => parse(box, token).version,
    async open(token, { query, dataset, generation }) {
      const place = parse(box, token);
      if (place.query !== query) {
        throw new SlipwayError('page.token_mismatch', 'page_token belongs to another dataset, filter, order or form');
      }
      const { replica } = dataset;
      await awaitVersion(dataset, place.version);
      if (place.until < now() || place.version < replica.keptFrom || place.generation !== generation) {
        throw new SlipwayError('page.token_expired', 'the version that this walk reads is not kept any more');
      }
      return place;
    },
  };
}

function parse(box: SecretBox, token: string): PagePlace & { until: number } {
  try {
    const [query, version, generation, after, until] = Sealed.parse(JSON.parse(box.open(token)));
    return { query, version, generation, after: parseId(after) ?? 0n, until };
  } catch (cause) {
    throw new SlipwayError('page.token_malformed', 'page_token is not one of ours', { cause });
  }
}
