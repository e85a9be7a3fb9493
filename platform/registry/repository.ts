import { createBlobs } from './blobs.js';
import { createManifests } from './manifests.js';
import { createReferrers } from './referrers.js';
import { createSession, type SessionOptions } from './session.js';

/** One repository of a registry. Every operation can be repeated: content is addressed by its digest. */
export type Repository = ReturnType<typeof openRepository>;

/**
 * @throws by every operation: unavailable while the registry cannot be used, run_failed with `reason` when it refuses
 */
export function openRepository(options: SessionOptions) {
  const session = createSession(options);
  const manifests = createManifests(session);
  const { registry, path } = session;
  return {
    /** Full name. */
    name: options.name,
    registry,
    path,
    ...createBlobs(session),
    ...manifests,
    ...createReferrers(session, manifests),
  };
}
