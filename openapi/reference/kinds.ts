import type { z } from 'zod';
import { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import { WatchSpec } from '../../notifications/kinds/watch.js';
import { ApiKeyRequest } from '../../platform/kinds/api-key.js';
import { DatasetSpec } from '../../reference/dataset/dataset.js';
import { requestSchema, type JsonSchema } from '../json-schema.js';
import { addTexts, type Texts } from '../lifecycle/field-texts.js';

/** A kind of `/v2` as manifests describe it. */
export interface ReferenceRow {
  kind: 'Dataset' | 'ApiKey' | 'Subscription' | 'Watch';
  about: string;
  spec: z.ZodType;
  /** Fields of `spec` without which a request is refused; a name is taken from the id. */
  required: readonly string[];
  texts: Texts;
  example: { id: string; spec: object };
}

// prettier-ignore
export const REFERENCE_ROWS: readonly ReferenceRow[] = [
  {
    kind: 'Dataset', about: 'a named collection of rows with declared fields; its id is its name', spec: DatasetSpec, required: ['fields'],
    texts: {
      title:            'for people',
      attribution:      'whom the data are from, in the words that their license asks for',
      fields:           'by name, each with a type (text, integer, id, decimal, boolean, date, timestamp, enum, ref, object or list) and required, filterable, sortable',
      lookup:           'what search-as-you-type finds',
      'lookup.fields':  'paths of names: texts and enums',
      'lookup.aliases': 'paths of further names, ranked after the names',
      'lookup.weight':  'path of a number: of two equal matches the heavier row comes first',
      validators:       'conditions for a new state of all rows: row_count, max_drop_percent, unique or references',
      allow_blind_put:  'whether a PUT may replace a row without If-Match',
    },
    example: { id: 'offices', spec: { fields: { name: { type: 'text', required: true }, opened_on: { type: 'date' } }, lookup: { fields: ['name'] } } },
  },
  {
    kind: 'ApiKey', about: 'a key for reference data; its secret is shown once, when it is created', spec: ApiKeyRequest, required: ['scopes'],
    texts: {
      name:       'default: the id of the manifest',
      scopes:     'rights of the key, such as data:read:* or data:write:offices',
      origins:    'origins of pages; the key is then accepted from these alone',
      expires_at: 'when it ends, such as 2027-01-31T12:00:00Z; default: never',
    },
    example: { id: 'office-loader', spec: { scopes: ['data:write:offices'] } },
  },
  {
    kind: 'Subscription', about: 'events that are sent to a webhook, or kept for a feed', spec: SubscriptionSpec, required: ['types'],
    texts: {
      name:         'default: the id of the manifest',
      mode:         'push sends to url; pull is read from the feed',
      url:          'address of the receiver',
      receipt_url:  'address that answers questions about unclear attempts, at the origin of url',
      types:        'event types; dataset.offices.* names a family',
      filter:       'expression that the data of an event must fulfil',
      payload:      'how much of a row an event has',
      headers:      'sent with each event; shown as *****',
      on_ambiguous: 'after an attempt whose outcome is unclear',
      ordering:     'order of the events, and how long one that fails holds up others',
      rate:         'events a second, and at the same time, at most',
      schedule:     'seconds before each attempt',
    },
    example: { id: 'office-events', spec: { url: 'https://hooks.example.org/offices', types: ['dataset.offices.*'] } },
  },
  {
    kind: 'Watch', about: 'an event is emitted when an expected change does not come in time', spec: WatchSpec, required: ['scope', 'period'],
    texts: {
      name:            'default: the id of the manifest',
      scope:           'a dataset with an optional filter or entity; or the stream pipeline with event types',
      each:            'entity: each has its own deadline; set: a change of any of them counts',
      counts:          'which changes count: of some fields, or while a filter holds (dwell)',
      period:          'longest time between two changes, such as P1D, or a cron and a zone',
      grace:           'time after the deadline before the absence is an event',
      late_notice:     'also an event at the deadline itself',
      arm_at:          'where the first gap of an entity begins',
      rearm:           'what begins the next gap, and repeats of one absence',
      recovery_notice: 'also an event when the change comes after all',
      closed_notice:   'also an event when the entity leaves the scope',
      on_resume:       'judge emits on resume what is overdue then; skip does not',
    },
    example: { id: 'office-feed', spec: { scope: { dataset: 'offices' }, each: 'set', period: 'P1D' } },
  },
];

/** The schema of a manifest of one of these kinds. */
export const manifestBody = ({ kind, spec, required, texts }: ReferenceRow): JsonSchema => ({
  type: 'object',
  properties: {
    kind: { type: 'string', const: kind },
    id: { type: 'string' },
    spec: addTexts(kind, texts, requestSchema(spec, required)),
  },
  required: ['id', 'spec'],
});
