import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, trainingSpec } from './projects.js';
import { untilState } from './run-state.js';
import { storedHistories } from './stored-histories.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ TEMPORAL_ENCRYPT_PAYLOADS: 'true' });
}, 600_000);
afterAll(() => platform.stop());

test('a platform that encrypts payloads runs trainings, and their words are in no history', async () => {
  const { admin } = platform;
  const code = await createProject(platform, 'raise SystemExit("the marigold is wilted")');
  const id = platform.newId('failing');
  await admin.create('/model/training', id, trainingSpec(code, { name: id }));
  const { status } = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  expect(status).toMatchObject({
    reason: 'ToolchainFailed',
    message: expect.stringContaining('the marigold is wilted'),
  });
  const histories = await storedHistories(platform);
  expect(histories).toContain(`training/${id}`);
  expect(histories).toContain('binary/encrypted');
  expect(histories).not.toContain('marigold');
}, 600_000);
