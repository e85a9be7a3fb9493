import type { AttemptEnd } from '../../notifications/kinds/attempt.js';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import type { DeliveryPolicy, DeliveryRecord } from '../../notifications/delivery/delivery.js';
import type { SigningKey } from '../../notifications/delivery/signing-keys.js';

/** A delivery that has been loaded and is not settled yet, with the records of its ledger. */
export interface InFlightDelivery {
  event: OutboxEvent;
  record: DeliveryRecord;
}

/** The address of a receiver, with the settings that its requests depend on. */
export interface Target {
  subscription: string;
  url: URL;
  receiptUrl?: URL;
  headers: Readonly<Record<string, string>>;
  keys: readonly SigningKey[];
  /** Time of the newest probe of the receiver; `null` without one. */
  provenAt: string | null;
  policy: DeliveryPolicy;
  /** Since when the breaker of the endpoint is open after an attempt that ends so, in milliseconds; undefined: it is closed. */
  outageSince: (end: AttemptEnd) => number | undefined;
}
