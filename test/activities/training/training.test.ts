import { expect, test } from 'vitest';
import { createTrainingActivities } from '../../../activities/training/training.js';
import type { StagedArtifact } from '../../../activities/training/training-artifact.js';
import type { Connection } from '../../../lifecycle/kinds/connection.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import type { ToolchainIntegration } from '../../../lifecycle/kinds/toolchain-integration.js';
import type { Training } from '../../../lifecycle/kinds/training.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createLineageLog } from '../../../lifecycle/stores/lineage.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import { newConnection, newTraining } from '../shared/resources.js';
import { newAttempt } from '../shared/environment.js';
import { createMemoryEngine } from '../shared/memory-engine.js';
import { NO_REGISTRIES, registryAuthBy } from '../shared/registry-deps.js';

/** Stores a staged artifact in the bucket that `openStore` opens. */
async function store(openStore: () => Promise<ObjectStore>): Promise<string> {
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  const trainings = createResources<Training>({ database, kind: 'ModelTraining' });
  const connections = createResources<Connection>({ database, kind: 'Connection' });
  const activities = createTrainingActivities({
    registries: NO_REGISTRIES,
    ...{ trainings, connections, objects, openStore, engine: createMemoryEngine().engine },
    toolchains: createResources<ToolchainIntegration>({ database, kind: 'ToolchainIntegration' }),
    logs: createLogs({ objects }),
    lineage: createLineageLog({ database }),
    openSecret: (sealed) => sealed,
    registryAuth: registryAuthBy(),
    bucketRules: { ambientBuckets: [], closedFolders: [] },
    localRoots: [],
    recordPrefix: '',
    renewLease: async () => {},
    runner: '',
    builderImage: '',
    limitSeconds: 1,
  });
  await connections.insert(newConnection('bucket', { type: 'gcs', uri: 'gs://bucket' }));
  const model = { name: 'wine', version: '1', artifactNameTemplate: '{{ .Name }}-{{ .Version }}.zip' };
  const { id, uid, generation } = await trainings.insert(newTraining('wine', { model, outputConnection: 'bucket' }));
  const staged: StagedArtifact = { key: 'k', digest: 'd', sizeBytes: 1, runId: 'r', metrics: {}, parameters: {} };
  await objects.put(staged.key, 'x');
  const checked = { ref: { id, uid, generation }, staged, commit: '', uuid: 'u' };
  return newAttempt().run(() => activities.storeArtifact(checked));
}
const refusing = (error: SlipwayError) => async (): Promise<ObjectStore> => ({
  ...createMemoryObjects(),
  put: async () => Promise.reject(error),
});

test('an artifact goes to the bucket of the output connection under its name', async () => {
  const bucket = createMemoryObjects();
  expect(await store(async () => bucket)).toBe('wine-1.zip');
  expect((await bucket.read('wine-1.zip')).toString()).toBe('x');
});

test.each([
  ['a bucket that is missing', new SlipwayError('not_found', 'bucket "bucket" is not found')],
  ['a bucket that denies access', new SlipwayError('storage_denied', 'object storage refused "w" (status 403)')],
  ['a bucket that refuses the name', new SlipwayError('storage_refused', 'object storage refused "w" (status 400)')],
])('%s ends the training with a reason and a sentence', async (_what, error) => {
  await expect(store(refusing(error))).rejects.toMatchObject({
    code: 'run_failed',
    retryable: false,
    message: `connection "bucket" does not take the artifact: ${error.message}`,
    detail: expect.objectContaining({ reason: 'PushFailed' }),
  });
});

test('a provider that cannot be written to is reported alike', async () => {
  const unknown = async () =>
    Promise.reject(new SlipwayError('validation_failed', 'objects of s3 can not be read yet'));
  await expect(store(unknown)).rejects.toMatchObject({ detail: expect.objectContaining({ reason: 'PushFailed' }) });
});

test('a bucket that does not answer is asked again', async () => {
  const away = new SlipwayError('unavailable', 'object storage does not answer');
  await expect(store(refusing(away))).rejects.toBe(away);
});
