import { eventLeavesOf } from '../../reference/event-row.js';
import { parseFilter } from '../../reference/filter/index.js';
import { SlipwayError } from '../../resources/errors.js';
import { type Problem, toPointer } from '../../resources/problem.js';
import { SubscriptionSpec, type SubscriptionStatus } from '../../resources/subscription.js';
import { requireWebhookAddresses, type Resolve, type WebhookPolicy } from '../../resources/webhook-address.js';
import type { Datasets } from '../../stores/datasets.js';
import { requireScope } from './credentials.js';
import type { Client } from './state.js';

export interface SubscriptionChecks {
  datasets: Datasets;
  policy: WebhookPolicy;
  resolve: Resolve;
}

/** `dataset.<name>.<what>`, or `dataset.<name>.*` for all of them. */
const DATASET_TYPE = /^dataset\.([a-z][a-z0-9_]{0,62})\.(created|updated|deleted|schema_changed|\*)$/;

/**
 * A subscription as somebody asks for it: its form, its addresses, its types and its filter.
 * @returns its spec, and where it begins to read each of its datasets
 * @throws entity.invalid, type.unknown, auth.scope, dataset.not_found, filter.invalid, url.malformed, url.not_allowed
 */
export async function acceptSubscription(given: unknown, client: Client, checks: SubscriptionChecks) {
  const spec = readSpec(given);
  const begin = beginOf(datasetsOf(spec.types), client, checks);
  requireUsableFilter(spec.filter, begin.declarations);
  if (spec.url !== null) {
    const { url, receipt_url } = spec;
    await requireWebhookAddresses({ url, ...(receipt_url !== null && { receipt_url }) }, checks);
  }
  return { spec, begin };
}

function readSpec(given: unknown): SubscriptionSpec {
  const result = SubscriptionSpec.safeParse(given);
  if (!result.success) {
    throw invalid(
      result.error.issues.map(({ path, message }) => ({ code: 'entity.invalid', pointer: toPointer(path), message })),
    );
  }
  const spec = result.data;
  const misplaced: Problem[] = [];
  const tell = (pointer: string, message: string) => misplaced.push({ code: 'entity.invalid', pointer, message });
  if (spec.mode === 'push' && spec.url === null)
    tell('/url', 'is required: where notices are sent, unless mode is pull');
  if (spec.mode === 'pull' && spec.url !== null) tell('/url', 'must not be given when mode is pull');
  if (spec.url === null && spec.receipt_url !== null) tell('/receipt_url', 'needs a url');
  if (misplaced.length > 0) throw invalid(misplaced);
  return spec;
}

function datasetsOf(types: readonly string[]): string[] {
  const names = types.map((type, index) => {
    const [, name] = DATASET_TYPE.exec(type) ?? [];
    if (name !== undefined) return name;
    const message = `there is no event type "${type}"; types are such as dataset.positions.updated or dataset.positions.*`;
    throw new SlipwayError('type.unknown', message, {
      problems: [{ code: 'type.unknown', pointer: `/types/${index}`, message }],
    });
  });
  return [...new Set(names)];
}

/** Everything that happens from now on; what happened before is in the data. */
function beginOf(names: readonly string[], client: Client, { datasets }: SubscriptionChecks): Begin {
  const begin = names.map((name) => {
    requireScope(client, `data:read:${name}`); // a notice shows what a read would
    const { dataset, declaration } = datasets.get(name);
    return [name, { position: dataset.follower.position, fields: declaration.spec.fields }] as const;
  });
  return {
    starts_at: Object.fromEntries(begin.map(([name, { position }]) => [name, { position, index: 0 }])),
    declarations: Object.fromEntries(begin.map(([name, { fields }]) => [name, { fields }])),
  };
}
type Begin = Pick<SubscriptionStatus, 'starts_at' | 'declarations'>;

/** It must be good for each of the datasets: nothing is silently left unfiltered. */
function requireUsableFilter(filter: string | null, declarations: Begin['declarations']): void {
  if (filter === null) return;
  for (const [dataset, spec] of Object.entries(declarations)) {
    const result = parseFilter(filter, { dataset, leaves: eventLeavesOf(spec) }, { parameter: 'filter' });
    if (!result.ok)
      throw new SlipwayError('filter.invalid', `the filter does not fit ${dataset}`, { problems: result.problems });
  }
}

const invalid = (problems: readonly Problem[]): SlipwayError =>
  new SlipwayError('entity.invalid', 'the subscription cannot be used', { problems });
