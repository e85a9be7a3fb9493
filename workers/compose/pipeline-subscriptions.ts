import { randomUUID } from 'node:crypto';
import type { SecretBox } from '../../platform/stores/secrets.js';
import {
  createPipelineSubscriptions,
  type PipelineSubscriptions,
} from '../../notifications/stores/pipeline-subscriptions.js';
import { createNotificationStores } from './notification-deps.js';
import type { Stores } from './stores.js';

/** The subscriptions that pipelines own, on the database of an installation. */
export function openPipelineSubscriptions(
  { database, pipelines }: Pick<Stores, 'database' | 'pipelines'>,
  box: SecretBox,
): PipelineSubscriptions {
  const { subscriptions, endOfStream } = createNotificationStores(database);
  return createPipelineSubscriptions({ subscriptions, pipelines, endOfStream, box, newId: randomUUID });
}
