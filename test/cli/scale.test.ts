import { expect, test } from 'vitest';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();
const run = (...args: string[]) => slipway.run(args);
const specOf = async () => (await api.deployments.get('wine'))?.spec;

test('scale changes the bounds alone; suspend and resume the suspension alone', async () => {
  await run('deploy', 'wine', '--image', 'example.org/wine:1', '--role', 'tasters');
  expect((await run('scale', 'wine', '--min', '0', '--max', '4')).out).toBe('deployment/wine scaled\n');
  expect(await specOf()).toMatchObject({ minReplicas: 0, maxReplicas: 4, roleName: 'tasters', suspended: false });
  expect((await run('suspend', 'wine')).out).toBe('deployment/wine suspended\n');
  expect((await run('describe', 'deployment', 'wine')).out).toMatch(/suspended +calls are refused/);
  expect((await run('scale', 'wine', '--max', '5')).exitCode).toBe(0);
  expect((await run('resume', 'wine')).out).toBe('deployment/wine resumed\n');
  expect(await specOf()).toMatchObject({ minReplicas: 0, maxReplicas: 5, roleName: 'tasters', suspended: false });
});

test('bounds that do not fit, none at all and an unknown deployment are refused', async () => {
  expect((await run('scale', 'wine')).err).toContain('give --min, --max or both');
  expect((await run('scale', 'wine', '--min', '9')).err).toContain('must not be less than minimum number of replicas');
  expect((await run('scale', 'wine', '--min', 'two')).exitCode).toBe(2);
  expect((await run('resume', 'none')).exitCode).toBe(4);
});
