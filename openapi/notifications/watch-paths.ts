import type { oas31 } from 'openapi3-ts';
import { WATCH_KINDS, WatchSpec } from '../../notifications/kinds/watch.js';
import { replySchema, requestSchema } from '../json-schema.js';
import type { Paths } from '../lifecycle/operations.js';
import { beforeNumber, PAGE_SIZE, PARAMETERS as P, path } from '../reference/parameters.js';
import { body, empty, problems, ref, reply } from '../reference/replies.js';

const TEXT: oas31.SchemaObject = { type: 'string' };
const TIME: oas31.SchemaObject = { type: 'string', format: 'date-time' };
const COUNT: oas31.SchemaObject = { type: 'integer', minimum: 0 };
const nullable = (schema: oas31.SchemaObject): oas31.SchemaObject => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (items: oas31.SchemaObject | oas31.ReferenceObject): oas31.SchemaObject => ({ type: 'array', items });

const tags = ['Watches'];
const ofId = path('id', TEXT, 'Of the watch.');
const shown = reply('The watch.', ref('Watch'));
const before = beforeNumber('Only events before this position.');
const entity = {
  name: 'entity',
  in: 'query' as const,
  description:
    'Id of an entity of the dataset, or what events are about, such as `pipeline/wine`; of a watch of a whole set it need not be given, and a row says there whether its changes count.',
  schema: TEXT,
};

// prettier-ignore
export const WATCH_PATHS: Paths = {
  '/v2/watches': {
    get: { operationId: 'list_watches', summary: 'Lists the watches.', tags, responses: { 200: reply('All of them whose dataset the caller may read.', { type: 'object', properties: { items: listOf(ref('Watch')) }, required: ['items'] }), ...problems() } },
    post: { operationId: 'create_watch', summary: 'Creates a watch: it emits an event when entities do not change, or platform events do not happen, in time.', tags, parameters: [P.idempotencyKey], requestBody: { required: true, content: body(ref('WatchRequest')) }, responses: { 201: shown, ...problems(404, 409, 413, 415, 422) } },
  },
  '/v2/watches/{id}': {
    parameters: [ofId],
    get: { operationId: 'read_watch', summary: 'Shows its settings, their history and the state of its evaluation.', tags, responses: { 200: shown, ...problems(404) } },
    patch: { operationId: 'change_watch', summary: 'Changes settings by JSON merge patch; deadlines are computed again from the last change of each entity.', tags, parameters: [P.ifMatch], requestBody: { required: true, content: body({ type: 'object' }, 'application/json', 'application/merge-patch+json') }, responses: { 200: shown, ...problems(404, 409, 412, 413, 415, 422, 428) } },
    delete: { operationId: 'delete_watch', summary: 'Removes the watch; no more events are emitted.', tags, parameters: [P.ifMatch], responses: { 204: empty('It is gone.'), ...problems(404, 412) } },
  },
  '/v2/watches/{id}/pause': {
    parameters: [ofId],
    post: { operationId: 'pause_watch', summary: 'Pauses the watch: it emits no events until it is resumed.', tags, parameters: [P.ifMatch], responses: { 200: shown, ...problems(404, 412) } },
  },
  '/v2/watches/{id}/resume': {
    parameters: [ofId],
    post: { operationId: 'resume_watch', summary: 'Resumes the watch; overdue events are emitted unless its settings skip them.', tags, parameters: [P.ifMatch], responses: { 200: shown, ...problems(404, 412) } },
  },
  '/v2/watches/{id}/gaps': {
    parameters: [ofId],
    get: { operationId: 'list_gaps', summary: 'Lists the emitted events, the newest first; a page may be short.', tags, parameters: [before, PAGE_SIZE], responses: { 200: reply('A page.', { type: 'object', properties: { items: listOf(ref('WatchGap')), next: { ...TEXT, description: 'The query of the next page, when there may be one.' } }, required: ['items'] }), ...problems(404) } },
  },
  '/v2/watches/{id}/explain': {
    parameters: [ofId],
    get: { operationId: 'explain_watch', summary: 'Explains the state of the gap of one entity.', tags, parameters: [entity], responses: { 200: reply('The state and its reason.', ref('WatchExplanation')), ...problems(404) } },
  },
};

const spec = replySchema(WatchSpec);
const facts: Record<string, oas31.SchemaObject> = {
  id: TEXT,
  state: { type: 'string', enum: ['active', 'paused'] },
  evaluation: nullable({
    type: 'object',
    properties: {
      state: { type: 'string', enum: ['arming', 'watching', 'unknown'] },
      position: COUNT,
      log_at: nullable(TIME),
      armed: COUNT,
      next_due_at: nullable(TIME),
      note: TEXT,
      updated_at: TIME,
    },
  }),
  history: listOf({
    type: 'object',
    properties: { generation: COUNT, at: TIME, actor: TEXT, changed: listOf(TEXT) },
  }),
  generation: COUNT,
  created_at: TIME,
  updated_at: TIME,
  created_by: TEXT,
  updated_by: TEXT,
};
const gap: Record<string, oas31.SchemaObject> = {
  gap_id: { ...TEXT, description: 'Of the gap: watch, entity, and the version that began it.' },
  gap_version: COUNT,
  last_changed_at: TIME,
  deadline: TIME,
};
const emittedFacts: Record<string, oas31.SchemaObject> = {
  position: COUNT,
  type: { type: 'string', enum: WATCH_KINDS.map((kind) => `watch.${kind}`) },
  watch: TEXT,
  ...gap,
  repeat: COUNT,
  due_at: TIME,
  detected_at: TIME,
};
const explained: Record<string, oas31.SchemaObject> = {
  watch: TEXT,
  entity_id: TEXT,
  log_at: nullable(TIME),
  state: {
    type: 'string',
    enum: ['out', 'waiting', 'armed', 'late', 'absent', 'over', 'paused', 'skipped', 'unknown'],
  },
  why: TEXT,
};
/** The row, if the query of a watch of a whole set names one. */
const row: oas31.SchemaObject = {
  type: 'object',
  properties: { id: TEXT, in_scope: { type: 'boolean' }, why: TEXT },
  required: ['id', 'in_scope'],
};

export const WATCH_SCHEMAS: Record<string, oas31.SchemaObject> = {
  WatchRequest: requestSchema(WatchSpec, ['name', 'scope', 'period']),
  Watch: {
    type: 'object',
    properties: { ...spec.properties, ...facts },
    required: [...(spec.required ?? []), ...Object.keys(facts)],
  },
  WatchGap: {
    type: 'object',
    properties: {
      ...emittedFacts,
      dataset: TEXT,
      stream: TEXT,
      entity_id: TEXT,
      entity_version: COUNT,
      etag: TEXT,
      gap_seconds: COUNT,
      missed_periods: COUNT,
    },
    required: Object.keys(emittedFacts),
  },
  WatchExplanation: {
    type: 'object',
    // language: `told` is a wire field of the explanation
    properties: { ...explained, ...gap, entity_version: COUNT, absent_at: TIME, told: listOf(TEXT), row },
    required: Object.keys(explained),
  },
};
