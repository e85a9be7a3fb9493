import { PLATFORM_TYPES } from '../../notifications/events/catalogue.js';
import { matchesType } from '../../notifications/events/event-type.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { SourcePosition } from '../../notifications/kinds/outbox-event.js';
import { type PlatformStream, platformStreamOf } from '../../platform/kinds/platform-event.js';
import { type Problem, toPointer } from '../../platform/kinds/problem.js';
import { keepHeaders } from '../../notifications/delivery/sealed-headers.js';
import { SubscriptionSpec } from '../../notifications/kinds/subscription.js';
import type { Resolve } from '../../platform/kinds/network-addresses.js';
import { requireWebhookAddresses } from '../../notifications/kinds/webhook-address.js';
import type { WebhookPolicy } from '../../platform/kinds/webhook-url.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { toDeclared } from './event-types.js';
import type { Client } from '../reference/state.js';
import { requireStream } from './stream-scopes.js';
import { filteredTypes } from './subscription-types.js';

export interface SubscriptionChecks {
  datasets: Datasets;
  /** Position of the newest entry of a stream beside those of datasets. */
  endOfStream: (stream: PlatformStream) => Promise<number>;
  policy: WebhookPolicy;
  resolve: Resolve;
}

/** `dataset.<name>.<what>`, or `dataset.<name>.*` for all of them but the summary of an import. */
const DATASET_TYPE = /^dataset\.([a-z][a-z0-9_]{0,62})\.(created|updated|deleted|schema_changed|imported|\*)$/;

/**
 * Validates a requested subscription: its form, addresses, types and filter.
 * @param checks with `stored`, the settings that a change applies to: headers that are sent masked keep their value
 * @returns its spec, and where it begins to read each of its streams
 * @throws entity.invalid, schedule.invalid, type.unknown, auth.scope, dataset.not_found, filter.invalid, url.malformed,
 *   url.not_allowed
 */
export async function acceptSubscription(
  given: unknown,
  client: Client,
  { stored, ...checks }: SubscriptionChecks & { stored?: SubscriptionSpec },
) {
  const spec = withKeptHeaders(readSpec(given), stored);
  const begin = await beginOf(streamsOf(spec.types), client, checks);
  filteredTypes(spec, begin.declarations);
  if (spec.url !== null) {
    const { url, receipt_url } = spec;
    await requireWebhookAddresses({ url, ...(receipt_url !== null && { receipt_url }) }, checks);
  }
  return { spec, begin };
}

function readSpec(given: unknown): SubscriptionSpec {
  const result = SubscriptionSpec.safeParse(given);
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => ({
      code: path[0] === 'schedule' ? 'schedule.invalid' : 'entity.invalid',
      pointer: toPointer(path),
      message,
    }));
    const isSchedule = problems.every(({ code }) => code === 'schedule.invalid');
    throw isSchedule
      ? new SlipwayError('schedule.invalid', 'the schedule cannot be used', { problems })
      : invalid(problems);
  }
  const spec = result.data;
  const misplaced: Problem[] = [];
  const report = (pointer: string, message: string) => misplaced.push({ code: 'entity.invalid', pointer, message });
  if (spec.mode === 'push' && spec.url === null) report('/url', 'is required unless mode is pull');
  if (spec.mode === 'pull' && spec.url !== null) report('/url', 'must not be given when mode is pull');
  if (spec.url === null && spec.receipt_url !== null) report('/receipt_url', 'needs a url');
  if (misplaced.length > 0) throw invalid(misplaced);
  return spec;
}

function withKeptHeaders(spec: SubscriptionSpec, stored: SubscriptionSpec | undefined): SubscriptionSpec {
  const { headers, problems } = keepHeaders(spec, stored);
  if (problems.length > 0) throw invalid(problems);
  return { ...spec, headers };
}

interface Streams {
  datasets: Set<string>;
  platform: Set<PlatformStream>;
}

function streamsOf(types: readonly string[]): Streams {
  const streams: Streams = { datasets: new Set(), platform: new Set() };
  for (const [index, type] of types.entries()) {
    const [, dataset] = DATASET_TYPE.exec(type) ?? [];
    const platform = isPlatformType(type) ? platformStreamOf(type) : undefined;
    if (dataset !== undefined) streams.datasets.add(dataset);
    else if (platform !== undefined) streams.platform.add(platform);
    else throw unknownType(type, index);
  }
  return streams;
}

const isPlatformType = (name: string): boolean => PLATFORM_TYPES.some(({ type }) => matchesType(name, type));

function unknownType(type: string, index: number): SlipwayError {
  const message = `there is no event type "${type}"; GET /v2/event-types lists those that there are`;
  return new SlipwayError('type.unknown', message, {
    problems: [{ code: 'type.unknown', pointer: `/types/${index}`, message }],
  });
}

/** Finds the current end of each stream: earlier changes are in the data. */
async function beginOf(
  streams: Streams,
  client: Client,
  { datasets, endOfStream }: SubscriptionChecks,
): Promise<Begin> {
  const begin: Begin = { starts_at: {}, declarations: {} };
  for (const name of streams.datasets) {
    requireStream(client, name); // an event shows the data of a read
    const { dataset, declaration } = datasets.get(name);
    const { position } = dataset.follower;
    // Changes that an import holds back become events when it releases them.
    const held = dataset.replica.heldBy !== undefined && { heldFrom: position };
    begin.starts_at[name] = { position, index: 0, ...held };
    begin.declarations[name] = toDeclared(declaration);
  }
  for (const stream of streams.platform) {
    requireStream(client, stream);
    begin.starts_at[stream] = { position: await endOfStream(stream), index: 0 };
  }
  return begin;
}
interface Begin {
  starts_at: Record<string, SourcePosition>;
  declarations: Record<string, DeclaredFields>;
}

const invalid = (problems: readonly Problem[]): SlipwayError =>
  new SlipwayError('entity.invalid', 'the subscription cannot be used', { problems });
