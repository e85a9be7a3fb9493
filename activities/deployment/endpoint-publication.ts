import type { Replica } from '../../lifecycle/kinds/endpoint.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import type { EndpointStore } from '../../lifecycle/stores/endpoints.js';
import { readInfo } from './replica.js';

interface Publication {
  revision: Revision;
  /** Replicas that take requests. */
  replicas: Replica[];
  signal: AbortSignal;
}

/** Routes traffic to the replicas. The model's description is read once per generation, from the first replica. */
export async function publishEndpoint(
  endpoints: EndpointStore,
  { revision, replicas, signal }: Publication,
): Promise<void> {
  const { ref, imageId, roleName, modelName, modelVersion, timeoutSeconds, feedback } = revision;
  const [first] = replicas;
  const previous = await endpoints.get(ref.id);
  const same = previous?.uid === ref.uid && previous.generation === ref.generation;
  const info = same ? previous.info : first ? await readInfo(first, signal) : {};
  const served = { roleName, modelName, modelVersion, timeoutSeconds, feedback };
  await endpoints.put({ ...ref, imageId, ...served, replicas, info });
}
