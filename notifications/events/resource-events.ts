import type { PlatformEvent, PlatformStream } from '../../platform/kinds/platform-event.js';
import type { AnyResource, Kind } from '../../platform/kinds/resource.js';
import type { ResourceWrite } from '../../platform/stores/resource-write.js';
import { batchEvent } from './batch-events.js';
import { deploymentEvent } from './deployment-events.js';
import type { EmittedEvent } from './emitted-event.js';
import { packagingEvent } from './packaging-events.js';
import { runEvent } from './run-events.js';
import { scheduleEventOf } from './schedule-events.js';
import { subscriptionEventOf } from './subscription-events.js';
import { trainingEvent } from './training-events.js';

type EventFactory<E extends AnyResource> = (before: E | undefined, after: E | undefined) => EmittedEvent | undefined;

/** A store holds resources of its kind alone, so the factory of this kind takes all of them. */
const factory = <E extends AnyResource>(toEvent: EventFactory<E>): EventFactory<AnyResource> =>
  toEvent as unknown as EventFactory<AnyResource>;

const FACTORIES: Partial<Record<Kind, EventFactory<AnyResource>>> = {
  ModelTraining: factory(trainingEvent),
  ModelPackaging: factory(packagingEvent),
  InferenceJob: factory(batchEvent),
  ModelDeployment: factory(deploymentEvent),
  PipelineRun: factory(runEvent),
  ModelPipeline: factory(scheduleEventOf),
  Subscription: factory(subscriptionEventOf),
};

/** Returns the stream that gets the events of a kind. */
export const streamOfWrites = (kind: Kind): PlatformStream => (kind === 'Subscription' ? 'ops' : 'pipeline');

/** Returns the event of a write of a resource. It follows from the write alone; `undefined`: the write has no event. */
export function eventOfWrite({ kind, before, after, revision, at }: ResourceWrite): PlatformEvent | undefined {
  const { id = '' } = after ?? before ?? {};
  const event = FACTORIES[kind]?.(before, after);
  if (event === undefined) return undefined;
  const { version, data, ...where } = event;
  const text = JSON.stringify({ ...data, ...(version === undefined && { version: revision }) });
  return {
    ...where,
    key: `${streamOfWrites(kind)}/${kind}/${id}/${revision}`,
    version: version ?? revision,
    at,
    data: text,
  };
}
