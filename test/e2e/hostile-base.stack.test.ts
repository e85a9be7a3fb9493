import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileBase, openHostService } from '../activities/shared/hostile-base.js';
import { contextOf } from '../platform/engines/contract-images.js';
import { startTestPlatform, type TestPlatform } from './platform.js';
import { createProject, SMALL_MODEL, trainingSpec } from './projects.js';
import { untilState } from './run-state.js';

let platform: TestPlatform;
let service: Awaited<ReturnType<typeof openHostService>>;
beforeAll(async () => {
  platform = await startTestPlatform();
  service = await openHostService();
}, 600_000);
afterAll(async () => {
  await service.close();
  await platform.stop();
});

/** Builds the image that a data scientist names, as they would have built it elsewhere. */
async function bring(python: string): Promise<string> {
  const { dockerfile, files } = hostileBase(python, service.port);
  const tag = `slipway.local/${platform.newId('hostile')}:1`;
  await platform.engine.build(contextOf(dockerfile, files), { tag, network: 'none' }, () => undefined);
  return tag;
}

const logOf = (kind: string, id: string): Promise<string> => platform.admin.text(`/api/v1/model/${kind}/${id}/log`);

test('no image that a user names gets hold of the host, from its training to its model image', async () => {
  const { admin, folder } = platform;
  const id = platform.newId('owned');
  const connection = await createProject(platform, SMALL_MODEL);
  const git = (...args: string[]) => execa('git', args, { cwd: join(folder, connection) });
  await writeFile(join(folder, connection, 'requirements.txt'), 'iniconfig==2.0.0\n');
  await git('add', '.');
  await git('-c', 'user.name=test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '-m', 'requirements');

  const image = await bring(process.env.SLIPWAY_TOOLCHAIN_IMAGE ?? '');
  await admin.create('/model/training', id, { ...trainingSpec(connection, { name: id }), image });
  const trained = await untilState(platform, '/model/training', id, ['succeeded', 'failed']);
  const { artifactName } = trained.status;
  await admin.create('/model/packaging', id, {
    ...{ artifactName, integrationName: 'container-rest' },
    arguments: { dockerfileBaseImage: await bring('slipway.local/python:3.11') },
    targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
  });
  const packed = await untilState(platform, '/model/packaging', id, ['succeeded', 'failed']);

  const log = `${await logOf('training', id)}\n${await logOf('packaging', id)}`;
  expect(log).toMatch(/refused connect 127\.0\.0\.1 /);
  expect(log.match(/EVIL.*/g)).toBeNull();
  expect(new Set(log.match(/identity .*/g))).toEqual(new Set(['identity 10001 0 1']));
  expect(service.visits()).toBe(0);
  // They are images that work: the user's own Python does its work where it may.
  expect([trained.status.state, packed.status.state]).toEqual(['succeeded', 'succeeded']);
}, 900_000);
