import { randomUUID } from 'node:crypto';
import { createGcsObjects } from '../../../platform/stores/gcs-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';

/** A bucket of its own on the running server. */
export async function openTestBucket(): Promise<ObjectStore> {
  const objects = createGcsObjects({
    bucket: `stores-${randomUUID()}`,
    apiEndpoint: process.env.STORAGE_API_ENDPOINT,
  });
  await objects.ensureBucket();
  await objects.ensureBucket(); // and again: what exists is fine
  return objects;
}
