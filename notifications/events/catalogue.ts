import type { Fields } from '../../reference/dataset/dataset-field.js';
import { type EventFamily, typesOfFamily } from './event-family.js';
import { type EventType, familyOf } from './event-type.js';
import { BATCH_FAMILY } from './batch-events.js';
import { DELIVERY_FAMILY } from './delivery-events.js';
import { DEPLOYMENT_FAMILY } from './deployment-events.js';
import { OPS_FAMILY } from './ops-events.js';
import { PACKAGING_FAMILY } from './packaging-events.js';
import { RUN_FAMILY } from './run-events.js';
import { DEFINITION_FAMILY, SCHEDULE_FAMILY } from './schedule-events.js';
import { SUBSCRIPTION_FAMILY } from './subscription-events.js';
import { TRAINING_FAMILY } from './training-events.js';
import { WATCH_FAMILY } from './watch-event.js';

/** The families of the streams `pipeline`, `watch` and `ops`, in the order of the catalogue. */
const FAMILIES: readonly EventFamily[] = [
  TRAINING_FAMILY,
  PACKAGING_FAMILY,
  BATCH_FAMILY,
  RUN_FAMILY,
  DEPLOYMENT_FAMILY,
  DEFINITION_FAMILY,
  SCHEDULE_FAMILY,
  WATCH_FAMILY,
  OPS_FAMILY,
  SUBSCRIPTION_FAMILY,
  DELIVERY_FAMILY,
];
const FIELDS: ReadonlyMap<string, Fields> = new Map(FAMILIES.map(({ name, fields }) => [name, fields]));

/** The types of the platform itself, which are the same in every installation. */
export const PLATFORM_TYPES: readonly EventType[] = FAMILIES.flatMap(typesOfFamily);
const BY_NAME: ReadonlyMap<string, EventType> = new Map(PLATFORM_TYPES.map((each) => [each.type, each]));

export const platformType = (type: string): EventType | undefined => BY_NAME.get(type);

/** Returns the fields that a filter of a platform type can name. */
export const platformFields = (type: string): Fields | undefined => FIELDS.get(familyOf(type));
