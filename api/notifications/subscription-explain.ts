import { z } from 'zod';
import { parseFilter } from '../../reference/filter/index.js';
import { testRow, type FilterTestResult } from '../../reference/filter/test-result.js';
import { requireId } from '../../reference/rows/id.js';
import { eventsOfStream } from '../../notifications/events/stream-events.js';
import { count } from '../../reference/dataset/dataset-field.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type PlatformStream, PLATFORM_STREAMS } from '../../platform/kinds/platform-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { SourceEvent } from '../../platform/kinds/source-event.js';
import { isAboutSubscription } from '../../notifications/events/subscription-events.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { readJson } from '../http/exact-json.js';
import { toDeclared } from './event-types.js';
import { readQuery } from '../http/parameters.js';
import type { Client, ReferenceContext, ReferenceStep } from '../reference/state.js';
import { requireStream } from './stream-scopes.js';
import { filteredTypes, leavesOf, typesOf } from './subscription-types.js';

export interface SubscriptionExplainOptions {
  load: (ctx: ReferenceContext) => Promise<Subscription>;
  datasets: Datasets;
  /** An entry of a stream beside those of datasets. */
  readStream: (stream: PlatformStream, position: number) => Promise<StreamEntry | undefined>;
}

const LIMIT_BYTES = 4_096;
const Name = z.string('must be a name').max(63, 'is no name');
const Asked = z.union(
  [
    z.strictObject({ dataset: Name, entity_id: z.string(), version: count(1, Number.MAX_SAFE_INTEGER).optional() }),
    z.strictObject({ stream: Name, position: count(1, Number.MAX_SAFE_INTEGER) }),
  ],
  'must name an entity by dataset, entity_id and perhaps version, or an entry by stream and position',
);

interface Found {
  events: SourceEvent[];
  declared: DeclaredFields;
  /** Position of the entry, if the request named one. */
  position?: number;
}

/**
 * `POST /v2/subscriptions/{id}/explain`: whether a change of an entity, or the entry at a position of a stream, matches
 * the current settings, and why.
 */
export function createSubscriptionExplain({ load, datasets, readStream }: SubscriptionExplainOptions): ReferenceStep {
  async function find(asked: z.infer<typeof Asked>, client: Client): Promise<Found> {
    if ('entity_id' in asked) {
      requireStream(client, asked.dataset);
      return findChange(asked.dataset, String(requireId(asked.entity_id)), asked.version);
    }
    const { stream, position } = asked;
    requireStream(client, stream);
    const platform = PLATFORM_STREAMS.find((name) => name === stream);
    const dataset = platform === undefined ? datasets.get(stream) : undefined;
    const entry = await (platform ? readStream(platform, position) : dataset?.dataset.log.read(position));
    if (entry === undefined) {
      throw new SlipwayError(
        'entity.not_found',
        `stream ${stream} has no entry ${position}, or it is not kept any more`,
      );
    }
    const declared = dataset ? toDeclared(dataset.declaration) : { fields: {} };
    return { events: eventsOfStream(stream, declared, entry), declared, position };
  }

  /** The event of one version of an entity; of the newest unless it is said. */
  async function findChange(name: string, id: string, version: number | undefined): Promise<Found> {
    const { dataset, declaration } = datasets.get(name);
    const wanted = version ?? dataset.replica.latest(id)?.version;
    const change = wanted === undefined ? undefined : await dataset.records.get(id, wanted);
    if (change === undefined) throw new SlipwayError('entity.not_found', `there is no such version of entity ${id}`);
    const declared = toDeclared(declaration);
    const entry = { kind: 'changes' as const, changes: [change], position: 0, at: change.at, token: '' };
    return { events: eventsOfStream(name, declared, entry), declared };
  }

  return async (ctx) => {
    readQuery(ctx, []);
    const subscription = await load(ctx);
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const result = Asked.safeParse(given);
    if (!result.success) throw new SlipwayError('entity.invalid', z.prettifyError(result.error));
    const { events, declared, position } = await find(result.data, ctx.state.client);
    ctx.body = { items: events.map((event) => explain(subscription, event, { declared, position })) };
  };
}

/** Lists independent reasons: an event matches when all of them hold. */
function explain(subscription: Subscription, event: SourceEvent, { declared, position }: Omit<Found, 'events'>) {
  const { spec, status } = subscription;
  const { id, type, subject, stream, at } = event;
  const reasons: Reason[] = [];
  const isAsked = typesOf(spec, status.declarations).includes(type);
  reasons.push({ holds: isAsked, reason: isAsked ? `${type} is asked for` : `${type} is not among its types` });
  const from = (status.effective?.after ?? status.starts_at)[stream]?.position;
  if (position !== undefined && from !== undefined) {
    const reason = `its settings apply after position ${from} of ${stream}, and this is ${position}`;
    reasons.push({ holds: position > from, reason });
  }
  if (isAboutSubscription(subscription.id, event)) {
    reasons.push({
      holds: false,
      reason: 'the event is about this subscription, which never receives events about itself',
    });
  }
  if (isAsked) reasons.push(...filterReasons(subscription, event, declared));
  return { event_id: id, type, subject, time: at, matches: reasons.every(({ holds }) => holds), reasons };
}

function filterReasons(
  { spec, status }: Subscription,
  { type, stream, row }: SourceEvent,
  declared: DeclaredFields,
): Reason[] {
  const { filter } = spec;
  if (filter === null) return [];
  if (row === undefined || !filteredTypes(spec, status.declarations).includes(type)) {
    return [{ holds: true, reason: `the filter does not apply: ${type} does not have its fields` }];
  }
  // A dataset that has lost the fields of the filter goes by the declaration that had them.
  const leaves = [{ ...status.declarations, [stream]: declared }, status.declarations].flatMap(
    (declarations) => leavesOf(type, declarations) ?? [],
  );
  const parsed = leaves.map((each) => parseFilter(filter, { dataset: stream, leaves: each })).find(({ ok }) => ok);
  if (!parsed?.ok) return [];
  const result = testRow(parsed.filter, row());
  return [
    { holds: result.holds, reason: `the filter ${result.holds ? 'takes' : 'does not take'} it`, verdict: result },
  ];
}

interface Reason {
  holds: boolean;
  reason: string;
  verdict?: FilterTestResult;
}
