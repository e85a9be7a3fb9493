import { z } from 'zod';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import type { ExaminedDelivery } from './delivery-examination.js';
import type { DeliveryDetail } from './delivery-view.js';
import { secretPlaces } from '../../platform/kinds/secret-places.js';

export interface DeliveryPage {
  details: DeliveryDetail[];
  /** The last sequence that was examined; `undefined` when no delivery follows. */
  last: number | undefined;
}

/** Deliveries that one page examines: with a filter that matches few, a page is short and the next page continues. */
const MOST_EXAMINED = 2_000;
const MOST_LEDGER_READS = 300;

/** Collects a page of this size from examined deliveries. */
export async function collectDeliveryPage(
  examined: AsyncIterable<ExaminedDelivery>,
  size: number,
): Promise<DeliveryPage> {
  const details: DeliveryDetail[] = [];
  let [looks, ledgerReads] = [0, 0];
  for await (const { sequence, isRead, detail } of examined) {
    looks += 1;
    if (isRead) ledgerReads += 1;
    if (detail !== undefined) details.push(detail);
    const isFull = details.length === size || looks >= MOST_EXAMINED || ledgerReads >= MOST_LEDGER_READS;
    if (isFull) return { details, last: sequence };
  }
  return { details, last: undefined };
}

/** The list that a page token belongs to. */
export interface DeliveryCursor {
  subscription: string;
  /** A hash of the filter. */
  query: string;
}

const Token = z.tuple([z.literal('deliveries'), z.string(), z.string(), z.int()]);

export const sealDeliveryToken = (box: SecretBox, { subscription, query }: DeliveryCursor, last: number): string =>
  box.seal(JSON.stringify(['deliveries', subscription, query, last]), secretPlaces.token('deliveries'));

/** @throws page.token_malformed, page.token_mismatch */
export function openDeliveryToken(box: SecretBox, cursor: DeliveryCursor, token: string): number {
  const [, subscription, query, last] = parseToken({ box, place: secretPlaces.token('deliveries'), token }, Token);
  if (subscription === cursor.subscription && query === cursor.query) return last;
  throw new SlipwayError(
    'page.token_mismatch',
    'page_token belongs to another subscription or filter: repeat the query of the previous page',
  );
}

/** A page token of a client, and the place that it was sealed for. */
export interface SealedToken {
  box: Pick<SecretBox, 'open'>;
  place: string;
  token: string;
}

/** @throws page.token_malformed */
export function parseToken<T>({ box, place, token }: SealedToken, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(box.open(token, place)));
  } catch (cause) {
    throw new SlipwayError(
      'page.token_malformed',
      'page_token is invalid: use next_page_token of the previous response',
      { cause },
    );
  }
}
