import type { components } from './openapi.js';

type Schemas = components['schemas'];

/** Kinds of reference data and notifications, which `/v2` serves. */
export const REFERENCE_KINDS = ['Dataset', 'ApiKey', 'Subscription', 'Watch'] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];
/** Kinds whose ids the server draws. */
export type DrawnKind = Exclude<ReferenceKind, 'Dataset'>;

export const isReferenceKind = (kind: string): kind is ReferenceKind =>
  (REFERENCE_KINDS as readonly string[]).includes(kind);

interface Specs {
  /** The schema of a declaration is that of its request: replies have every default. */
  Dataset: Schemas['DatasetRequest']['spec'];
  ApiKey: Pick<Schemas['ApiKey'], 'name' | 'scopes' | 'origins' | 'expires_at'>;
  Subscription: Pick<Schemas['Subscription'], keyof Schemas['SubscriptionRequest']>;
  Watch: Pick<Schemas['Watch'], keyof Schemas['WatchRequest']>;
}
interface Statuses {
  Dataset: { rows: number; version: number; pinned?: object; held_by?: string; blocked?: object };
  ApiKey: Pick<Schemas['ApiKey'], 'last_used_at'>;
  Subscription: Omit<Schemas['Subscription'], keyof Specs['Subscription'] | ServerField>;
  Watch: Omit<Schemas['Watch'], keyof Specs['Watch'] | ServerField>;
}
type ServerField = 'id' | 'generation' | 'created_at' | 'created_by' | 'updated_at' | 'updated_by';

interface Envelope<K extends ReferenceKind> {
  kind: K;
  id: string;
  spec: Specs[K];
  /** `secret` is in the answer to a creation alone. */
  status: Statuses[K] & { secret?: string };
  generation: number;
  /** A dataset shows only its newest change. */
  createdAt?: string;
  createdBy?: string;
  updatedAt: string;
  updatedBy: string;
}
/** Resources of `/v2` in the envelope of the management API. */
export type ReferenceEntities = { [K in ReferenceKind]: Envelope<K> };

/** `id`: of a dataset its name; of other kinds their name, or the id that the server drew. */
export interface ReferenceRequest<K extends ReferenceKind> {
  kind?: K;
  id: string;
  spec: K extends 'Dataset' ? Specs['Dataset'] : Omit<Schemas[`${K}Request`], 'name'> & { name?: string };
}

/** Where a kind lives, and the form of the ids that the server draws for it. */
export const REFERENCE_PATHS = {
  ApiKey: { path: '/v2/keys', id: /^k[0-9a-z]{15}$/ },
  Subscription: { path: '/v2/subscriptions', id: /^sub_/ },
  Watch: { path: '/v2/watches', id: /^wat_/ },
} as const satisfies Record<DrawnKind, { path: string; id: RegExp }>;

/** Whether this is an id that the server drew rather than a name. */
export const isDrawnId = (kind: ReferenceKind, id: string): boolean =>
  kind !== 'Dataset' && REFERENCE_PATHS[kind].id.test(id);

// prettier-ignore
const SPEC_FIELDS = {
  ApiKey:       ['name', 'scopes', 'origins', 'expires_at'],
  Subscription: ['name', 'mode', 'url', 'receipt_url', 'types', 'filter', 'payload', 'headers', 'on_ambiguous', 'ordering', 'rate', 'schedule'],
  Watch:        ['name', 'scope', 'each', 'counts', 'period', 'grace', 'late_notice', 'arm_at', 'rearm', 'recovery_notice', 'closed_notice', 'on_resume'],
} as const;

/** Puts the flat form of `/v2` into the envelope of every resource. */
export function toEnvelope(kind: DrawnKind, shown: object): ReferenceEntities[DrawnKind] {
  const { id, owner, generation, created_at, created_by, updated_at, updated_by, ...rest } = shown as Shown;
  // Keys of earlier versions have no origins.
  const all = kind === 'ApiKey' ? { origins: [], ...rest } : rest;
  const isSpec = ([name]: [string, unknown]): boolean => (SPEC_FIELDS[kind] as readonly string[]).includes(name);
  const fields = Object.entries(all);
  const by = created_by ?? owner ?? '';
  return {
    kind,
    id,
    spec: Object.fromEntries(fields.filter(isSpec)),
    status: Object.fromEntries([
      ...fields.filter((field) => !isSpec(field)),
      ...(created_by !== undefined && owner !== undefined ? [['owner', owner] as const] : []),
    ]),
    generation: generation ?? 1,
    createdAt: created_at,
    createdBy: by,
    updatedAt: updated_at ?? created_at,
    updatedBy: updated_by ?? by,
  } as unknown as ReferenceEntities[DrawnKind]; // the reply has the fields of its schema
}

/** A key does not change, so it has no more than its creation. */
interface Shown {
  id: string;
  owner?: string;
  generation?: number;
  created_at: string;
  created_by?: string;
  updated_at?: string;
  updated_by?: string;
}
