import { SlipwayError } from '../../platform/kinds/errors.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import { timestampOf } from '../../notifications/delivery/attempt-time.js';
import { CONTENT_TYPE } from '../../notifications/delivery/cloud-event.js';
import { maskHeaders } from '../../notifications/delivery/sealed-headers.js';
import type { DeliveryDetail } from './delivery-view.js';

/** Media type of a request in wire format (RFC 9112). */
export const HTTP_TYPE = 'message/http';

/**
 * Writes the newest attempt of a delivery as a request, with the current headers of the subscription. Their values
 * and signatures are masked: the reader may not be the owner of the secrets.
 * @throws delivery.not_found
 */
export function writeRequest({ spec, status }: Subscription, detail: DeliveryDetail, userAgent: string): string {
  const { event, facts } = detail;
  const newest = facts.attempts.at(-1);
  if (newest === undefined || spec.url === null) {
    throw new SlipwayError('delivery.not_found', 'the delivery has no attempt yet');
  }
  const { startedAt, number } = newest;
  const url = new URL(spec.url);
  const signing = status.keys.filter(
    ({ created_at, expires_at }) => created_at <= startedAt && (expires_at === null || expires_at > startedAt),
  );
  const headers = {
    host: url.host,
    ...maskHeaders(spec.headers),
    'content-type': CONTENT_TYPE,
    'content-length': String(Buffer.byteLength(event.body)),
    'user-agent': userAgent,
    'slipway-attempt': String(number),
    'webhook-id': event.id,
    'webhook-timestamp': String(timestampOf(facts.attempts)),
    'webhook-signature': signing.map(({ kind }) => (kind === 'hmac' ? 'v1,...' : 'v1a,...')).join(' '),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${url.pathname}${url.search} HTTP/1.1`, ...lines, '', event.body].join('\r\n');
}
