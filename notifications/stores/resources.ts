import type { AnyResource } from '../../platform/kinds/resource.js';
import { createStoredResources, type ResourceStoreOptions } from '../../platform/stores/stored-resources.js';
import { eventOfWrite, streamOfWrites } from '../events/resource-events.js';

/** The stored resources of one kind; each write commits the event that subscribers receive of it. */
export const createResources = <E extends AnyResource>(options: Omit<ResourceStoreOptions, 'stream' | 'toEvent'>) =>
  createStoredResources<E>({ ...options, stream: streamOfWrites(options.kind), toEvent: eventOfWrite });
