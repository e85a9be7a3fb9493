import { type EventType } from '../../notifications/events/event-type.js';
import { EXAMPLE_TIME } from '../../notifications/events/example-row.js';
import { eventId } from '../../notifications/events/event-id.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import { platformStreamOf } from '../../platform/kinds/platform-event.js';
import { createOutboxEvent } from '../../notifications/delivery/cloud-event.js';

export interface ExampleEvent {
  baseUrl: string;
  /** The subscription that it is written for. */
  subscription?: string;
  /** RFC 3339. */
  at?: string;
}

/** Writes the example of a type like any other event; its sequence 0 belongs to no subscription. */
export function exampleEvent(
  { type, version, example }: EventType,
  { baseUrl, subscription = 'sub_0000000000000000', at = EXAMPLE_TIME }: ExampleEvent,
): OutboxEvent {
  const { source, subject, data } = example;
  const stream = platformStreamOf(type) ?? type.split('.')[1] ?? '';
  const event = {
    id: eventId(stream, subject, `example ${at}`, type),
    ...{ type, schemaVersion: version, stream, position: 0, index: 0, ref: source, source, subject, at },
    data: () => JSON.stringify(data),
  };
  return createOutboxEvent(event, { subscription, sequence: 0, payload: 'full', settledThrough: 0, baseUrl });
}
