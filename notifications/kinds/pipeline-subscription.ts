import { createHash } from 'node:crypto';
import type { Pipeline, RunNotification } from '../../lifecycle/kinds/pipeline.js';
import { SubscriptionSpec } from './subscription.js';

/** The event types of each word in a pipeline's `notify`. A canceled run counts as failed. */
const TYPES: Record<RunNotification, readonly string[]> = {
  succeeded: ['pipeline.run.succeeded'],
  failed: ['pipeline.run.failed', 'pipeline.run.cancelled'],
  waiting: ['pipeline.run.waiting'],
};
const isNotification = (word: string): word is RunNotification => Object.hasOwn(TYPES, word);

/** The settings of one address of a pipeline's `notify`. */
export interface PipelineAddress {
  url: string;
  spec: SubscriptionSpec;
}

/**
 * Derives the subscriptions that a pipeline's `notify` asks for: one per address, with the events of all entries that name
 * this address. An entry without `on` asks for all of them.
 */
export function addressesOf({ id, spec }: Pick<Pipeline, 'id' | 'spec'>): PipelineAddress[] {
  const typesByUrl = new Map<string, Set<string>>();
  for (const { url, on } of spec.notify) {
    const types = typesByUrl.get(url) ?? new Set<string>();
    const words = on.length === 0 ? Object.keys(TYPES) : on;
    for (const word of words.filter(isNotification)) for (const type of TYPES[word]) types.add(type);
    typesByUrl.set(url, types);
  }
  return [...typesByUrl].map(([url, types]) => {
    const filter = `pipeline == "${id}"`;
    const defaults = SubscriptionSpec.parse({ name: `runs of pipeline ${id}`, types: [...types].sort(), filter });
    return { url, spec: { ...defaults, url } };
  });
}

/**
 * Returns the id of the subscription of one address.
 * @param incarnation 0 at first; 1 more for each time that the address was removed, because a removed subscription keeps its id
 */
export function pipelineSubscriptionId(uid: string, { url }: PipelineAddress, incarnation: number): string {
  const digest = createHash('sha256').update(JSON.stringify(['pipeline', uid, url, incarnation]));
  return `sub_${digest.digest('hex').slice(0, 18)}`;
}
