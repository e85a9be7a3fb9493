import { randomUUID } from 'node:crypto';
import type { SecretBox } from '../../platform/stores/secrets.js';
import {
  createPipelineSubscriptions,
  type PipelineSubscriptions,
} from '../../notifications/stores/pipeline-subscriptions.js';
import type { NotificationStores } from './notification-deps.js';
import type { Stores } from './stores.js';

/** The subscriptions that pipelines own, on the database of an installation. */
export function openPipelineSubscriptions(
  { subscriptions, endOfStream }: Pick<NotificationStores, 'subscriptions' | 'endOfStream'>,
  { pipelines }: Pick<Stores, 'pipelines'>,
  box: SecretBox,
): PipelineSubscriptions {
  return createPipelineSubscriptions({ subscriptions, pipelines, endOfStream, box, newId: randomUUID });
}
