import { createHash } from 'node:crypto';
import type { OutboxEvent } from '../kinds/outbox-event.js';
import type { Payload, SourceEvent } from '../../platform/kinds/source-event.js';

export interface OutboxEventOptions {
  subscription: string;
  sequence: number;
  payload: Payload;
  /** Everything up to this sequence was settled when the event was written. */
  settledThrough: number;
  /** Address of the service, for links in the event; without a slash at the end. */
  baseUrl: string;
}

/** Larger data are replaced by a link (`dataref`). */
const MOST_BYTES = 64 * 1024;
export const CONTENT_TYPE = 'application/cloudevents+json';

/** An event of an outbox; with a fault its data may not be readable, and its body has a link instead. */
export type OutgoingEvent = SourceEvent & Pick<OutboxEvent, 'fault'>;

/** Writes an event for one subscription: a CloudEvent 1.0 in structured mode, frozen to the byte. */
export function createOutboxEvent(event: OutgoingEvent, options: OutboxEventOptions): OutboxEvent {
  const { subscription, sequence, payload, settledThrough, baseUrl } = options;
  const id = deliveryIdOf(subscription, sequence, event.id);
  const { schemaVersion, fault } = event;
  const data = fault === undefined ? event.data(payload) : undefined;
  const carried =
    data !== undefined && Buffer.byteLength(data) <= MOST_BYTES
      ? `"data":${data}`
      : `"dataref":${JSON.stringify(`${baseUrl}${event.ref}`)}`;
  const attributes = {
    specversion: '1.0',
    id: event.id,
    source: event.source,
    type: event.type,
    subject: event.subject,
    time: event.at,
    datacontenttype: 'application/json',
    ...(schemaVersion !== undefined && { dataschema: `${baseUrl}/v2/event-types/${event.type}/${schemaVersion}` }),
    sequence: String(sequence).padStart(19, '0'),
    subscriptionid: subscription,
    noticeid: id,
    settledthrough: String(settledThrough),
  };
  const body = `${JSON.stringify(attributes).slice(0, -1)},${carried}}`;
  const about = `${event.stream}/${event.subject}`;
  return { sequence, id, eventId: event.id, type: event.type, about, body, ...(fault !== undefined && { fault }) };
}

/** Builds an id without dots, because dots join the parts of the signed text. */
function deliveryIdOf(subscription: string, sequence: number, event: string): string {
  const hash = createHash('sha256').update(`${subscription}\0${event}`).digest('base64url');
  return `ntc_${subscription.replace(/^sub_/, '')}_${sequence}_${hash.replaceAll(/[-_]/g, '').slice(0, 12)}`;
}
