import { z } from 'zod';
import { parseId } from '../../reference/rows/id.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { LiveDataset } from '../../reference/stores/live-dataset.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { awaitVersion } from './freshness.js';
import { quote } from '../http/parameters.js';
import { shortHash } from '../http/etag.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';

/** The position where a walk continues, and the dataset version that it reads. */
export interface PagePosition {
  /** Digest of dataset, filter and order in canonical form, which stay the same within a walk. */
  query: string;
  /** Dataset version that every page of the walk shows. */
  version: number;
  /** Generation of the declaration that the walk began with. */
  generation: number;
  /** Id of the last row of the page before. */
  after: bigint;
}

/** The digest that a page token is bound to: dataset, canonical filter and order, and `as_of`. */
export const queryText = ({ dataset, filter, order, asOf = '' }: Walk): string =>
  shortHash(JSON.stringify([dataset, filter ?? null, order, asOf]));

interface Walk {
  dataset: string;
  filter: string | undefined;
  order: string;
  asOf?: string | undefined;
}

const PLACE = secretPlaces.token('page');
const HOUR_MS = 3_600_000;
const Sealed = z.tuple([z.string(), z.int(), z.int(), z.string(), z.int()]);

export interface PageTokens {
  /** The dataset version of a token. @throws page.token_malformed */
  versionOf(token: string): number;
  seal(position: PagePosition): string;
  /**
   * @throws page.token_malformed, page.token_mismatch, page.token_expired; version.unknown, replica.behind
   */
  open(token: string, asked: { query: string; dataset: LiveDataset; generation: number }): Promise<PagePosition>;
}

/** Seals page tokens, so that a client can neither read nor forge one; credentials are checked for every page. */
export function createPageTokens({ box, now = Date.now }: { box: SecretBox; now?: () => number }): PageTokens {
  return {
    seal: ({ query, version, generation, after }) =>
      box.seal(JSON.stringify([query, version, generation, String(after), now() + HOUR_MS]), PLACE),
    versionOf: (token) => parse(box, token).version,
    async open(token, { query, dataset, generation }) {
      const position = parse(box, token);
      if (position.query !== query) {
        throw new SlipwayError(
          'page.token_mismatch',
          'page_token belongs to another request: keep dataset, filter, order and as_of, or leave it out',
        );
      }
      const { replica } = dataset;
      await awaitVersion(dataset, position.version);
      if (position.until < now() || position.version < replica.keptFrom || position.generation !== generation) {
        throw new SlipwayError(
          'page.token_expired',
          `version ${position.version} of this walk is not kept any more: start again without page_token`,
        );
      }
      return position;
    },
  };
}

const parse = (box: SecretBox, token: string): PagePosition & { until: number } =>
  openToken({ box, place: PLACE, token }, (text) => {
    const [query, version, generation, after, until] = Sealed.parse(JSON.parse(text));
    return { query, version, generation, after: parseId(after) ?? 0n, until };
  });

/** A token of a client, and the place that it was sealed for. */
interface SealedToken {
  box: Pick<SecretBox, 'open'>;
  place: string;
  token: string;
}

/** @throws page.token_malformed */
export function openToken<Position>({ box, place, token }: SealedToken, read: (text: string) => Position): Position {
  try {
    return read(box.open(token, place));
  } catch (cause) {
    const shown = quote(token);
    const remedy = 'use next_page_token of the previous response';
    throw new SlipwayError('page.token_malformed', `page_token ${shown} is invalid: ${remedy}`, { cause });
  }
}
