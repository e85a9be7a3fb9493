import { type EventType } from '../../events/event-type.js';
import { EXAMPLE_TIME } from '../../events/example-row.js';
import { eventId } from '../../reference/dataset-events.js';
import type { Notice } from '../../resources/notice.js';
import { platformStreamOf } from '../../resources/platform-event.js';
import { mintNotice } from '../../webhooks/cloud-event.js';

export interface ExampleNotice {
  baseUrl: string;
  /** Of whom it is a notice. */
  subscription?: string;
  /** RFC 3339. */
  at?: string;
}

/** A notice of a type's example, made as every other is; its number is none of any subscription. */
export function exampleNotice(
  { type, version, example }: EventType,
  { baseUrl, subscription = 'sub_0000000000000000', at = EXAMPLE_TIME }: ExampleNotice,
): Notice {
  const { source, subject, data } = example;
  const stream = platformStreamOf(type) ?? type.split('.')[1] ?? '';
  const event = {
    id: eventId(stream, subject, `example ${at}`, type),
    ...{ type, schemaVersion: version, stream, position: 0, index: 0, ref: source, source, subject, at },
    data: () => JSON.stringify(data),
  };
  return mintNotice(event, { subscription, sequence: 0, payload: 'full', settledThrough: 0, baseUrl });
}
