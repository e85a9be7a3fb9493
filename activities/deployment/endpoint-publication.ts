import { activityInfo } from '@temporalio/activity';
import type { Endpoint, Replica, Rest, RouteTime } from '../../lifecycle/kinds/endpoint.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import { readInfo } from './replica.js';

/** Returns the epoch of the running attempt: it counts until Temporal schedules a later one. */
export const epochOfAttempt = (): number => activityInfo().currentAttemptScheduledTimestampMs;

interface Publication {
  revision: Revision;
  /** Replicas that take requests. */
  replicas: Replica[];
  /** The epoch is that of the attempt that publishes. */
  route: RouteTime & { epoch: number };
  signal: AbortSignal;
  scales?: boolean;
  rest?: Rest | undefined;
  wake?: Endpoint['wake'];
  /** A revision that gets `weight` percent of the calls. */
  candidate?: { revision: Revision; replicas: Replica[]; weight: number } | undefined;
}

/**
 * Routes traffic to the replicas. The model's description is read once per generation, from the first replica.
 * @throws conflict when a newer attempt has the route
 */
export async function publishEndpoint(
  endpoints: EndpointStore,
  { revision, replicas, route, signal, candidate, scales = false, rest, wake }: Publication,
): Promise<void> {
  const { ref } = revision;
  const [first] = replicas;
  const previous = await endpoints.get(ref.id);
  const same = previous?.uid === ref.uid && previous.generation === ref.generation;
  // A suspended generation has no replica to ask: the description is that of the one before.
  const isKnown = (same && Object.keys(previous.info).length > 0) || revision.suspended === true;
  const info = isKnown ? (previous?.info ?? {}) : first ? await readInfo(revision, first, signal) : {};
  const other = candidate && { weight: candidate.weight, endpoint: toEndpoint(candidate.revision, candidate.replicas) };
  const scaling = { ...(scales && { scales }), ...(rest && { rest }), ...(wake && { wake }) };
  const { epoch, version } = route;
  const place = { ...(version && { version }), ...(other && { candidate: other }) };
  const endpoint = { ...toEndpoint(revision, replicas), info, ...scaling, ...place };
  if (!(await endpoints.put(endpoint, epoch))) throw superseded(ref.id);
}

/** The replicas of a revision in the route of its deployment, also where it is the candidate. */
export const replicasIn = (route: Endpoint | undefined, { ref }: Revision): Replica[] =>
  [route, route?.candidate?.endpoint].find((each) => each?.uid === ref.uid && each.generation === ref.generation)
    ?.replicas ?? [];

/** Without the description of the model. */
function toEndpoint(revision: Revision, replicas: Replica[]): Endpoint {
  const { ref, imageId, roleName, roles, description, modelName, modelVersion, timeoutSeconds, feedback, records } =
    revision;
  const { concurrency } = revision;
  const served = {
    ...{ roleName, modelName, modelVersion, timeoutSeconds, feedback },
    ...(roles && { roles }),
    ...(description !== undefined && { description }),
    ...(records && { records }),
    ...(concurrency && { concurrency }),
  };
  return { ...ref, imageId, ...served, replicas, info: {} };
}

/** @throws conflict when a newer attempt has the route of a deployment: this one must change nothing any more */
export async function requireRoute(endpoints: EndpointStore, id: string, epoch: number): Promise<void> {
  if ((await endpoints.epochOf(id)) > epoch) throw superseded(id);
}

const superseded = (id: string) => new SlipwayError('conflict', `a newer attempt has the route of deployment "${id}"`);
