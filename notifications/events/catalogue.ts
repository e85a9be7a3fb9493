import type { Fields } from '../../reference/dataset/dataset-field.js';
import { typesOfFamily } from './event-family.js';
import { type EventType, familyOf } from './event-type.js';
import { OPS_FAMILIES } from './ops-families.js';
import { PIPELINE_FAMILIES } from './pipeline-families.js';
import { WATCH_FAMILIES } from './watch-families.js';

const FAMILIES = [...PIPELINE_FAMILIES, ...WATCH_FAMILIES, ...OPS_FAMILIES];
const FIELDS: ReadonlyMap<string, Fields> = new Map(FAMILIES.map(({ name, fields }) => [name, fields]));

/** Types of the platform itself, which are the same in every installation. */
export const PLATFORM_TYPES: readonly EventType[] = FAMILIES.flatMap(typesOfFamily);
const BY_NAME: ReadonlyMap<string, EventType> = new Map(PLATFORM_TYPES.map((each) => [each.type, each]));

export const platformType = (type: string): EventType | undefined => BY_NAME.get(type);

/** What a filter of a platform type can name. */
export const platformFields = (type: string): Fields | undefined => FIELDS.get(familyOf(type));
