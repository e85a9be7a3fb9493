import { randomUUID } from 'node:crypto';
import { createGcsObjects } from '../../stores/gcs-objects.js';
import { objectsContract } from './objects.contract.js';

objectsContract(async () => {
  const objects = createGcsObjects({
    bucket: `stores-${randomUUID()}`,
    apiEndpoint: process.env.STORAGE_API_ENDPOINT,
  });
  await objects.ensureBucket();
  await objects.ensureBucket();
  return objects;
});
