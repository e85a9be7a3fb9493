import { expect, test } from 'vitest';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();

const manifest = (id: string, image: string) => `
kind: ModelDeployment
id: ${id}
spec: { predictor: platform-ml-server, image: "example.org/x:${image}", protected: true, pipeline: release }
`;
const generation = async (id: string) => (await api.deployments.get(id))?.generation;

test('a protected deployment is changed and deleted with --override-protection only', async () => {
  const run = (...args: string[]) => slipway.run(args);
  expect((await run('apply', '-f', await slipway.file(manifest('prod', '1')))).exitCode).toBe(0);
  const changed = await slipway.file(manifest('prod', '2'));
  const refused = await run('apply', '-f', changed);
  expect([refused.exitCode, await generation('prod')]).toEqual([5, 1]);
  expect(refused.err).toContain('deployment "prod" is protected: runs of pipeline "release" change it');
  expect(refused.err).toContain('--override-protection');
  expect((await run('apply', '-f', changed, '--override-protection')).out).toBe('deployment/prod updated\n');
  expect((await run('describe', 'deployment', 'prod')).out).toMatch(
    /protected +changed by pipeline\/release and admins/,
  );
  expect((await run('delete', 'deployment', 'prod', '--no-wait')).exitCode).toBe(5);
  expect((await run('delete', 'deployment', 'prod', '--no-wait', '--override-protection')).exitCode).toBe(0);
  expect((await api.deployments.get('prod'))?.status.state).toBe('Deleting');
});
