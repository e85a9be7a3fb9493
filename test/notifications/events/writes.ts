import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { platformType } from '../../../notifications/events/catalogue.js';
import { eventOfWrite } from '../../../notifications/events/resource-events.js';
import { platformEventOf } from '../../../notifications/events/stream-events.js';
import { type PlatformEvent, platformStreamOf } from '../../../platform/kinds/platform-event.js';
import type { AnyResource, Kind } from '../../../platform/kinds/resource.js';
import type { SourceEvent } from '../../../platform/kinds/source-event.js';

export const AT = '2026-02-11T09:30:12.114Z';

/** A value that must never leave the platform; tests put it wherever no event may look. */
export const PRIVATE = 'top-secret-value';

/** Builds a stored resource; its envelope holds private values in every member that clients do not see. */
export const resource = (kind: Kind, status: object, spec: object = {}, more: object = {}): AnyResource => ({
  ...{ kind, id: 'wine-3', uid: PRIVATE, spec, status, generation: 2, revision: 4 },
  ...{ createdAt: AT, updatedAt: AT, createdBy: 'ana', updatedBy: PRIVATE, claimedBy: PRIVATE, ...more },
});

/** A state of a resource before and after a write; `undefined` where it is absent. */
export type Write = readonly [AnyResource | undefined, AnyResource | undefined];

export const emitted = ([before, after]: Write, revision = 5): PlatformEvent | undefined =>
  eventOfWrite({ kind: (after ?? before)?.kind ?? 'ModelTraining', before, after, revision, at: AT });

export const dataOf = (event: PlatformEvent | undefined): Record<string, unknown> => JSON.parse(event?.data ?? 'null');

/** Reads an event back as its stream emits it. */
export const read = (event: PlatformEvent, position = 7): SourceEvent =>
  platformEventOf(platformStreamOf(event.type) ?? '', { kind: 'event', event, position, at: AT, token: 't' });

const ajv = new Ajv2020({ strict: false, validateFormats: false });
/** By schema, which all types of a family share: a compilation takes longer than all validations. */
const validators = new Map<object, ValidateFunction>();

/** Lists where data differ from the declaration of their type; a member that is not declared is a difference too. */
export function problemsOf(type: string, data: unknown): unknown[] {
  const declared = platformType(type);
  if (declared === undefined) return [`${type} is not declared`];
  const validate = validators.get(declared.schema) ?? ajv.compile({ ...declared.schema, additionalProperties: false });
  validators.set(declared.schema, validate);
  return validate(data) ? [] : (validate.errors ?? []);
}
