import { expect, test } from 'vitest';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();
const run = (...args: string[]) => slipway.run(['rollout', ...args]);

const manifest = (image: string) => `
kind: ModelDeployment
id: wine
spec: { predictor: platform-ml-server, image: "${image}", rollout: { steps: [{ weight: 10 }, { weight: 50 }] } }
`;

test('a rollout is shown and steered, and a deployment goes back', async () => {
  for (const tag of ['1', '2']) {
    await slipway.run(['apply', '-f', await slipway.file(manifest(`example.org/wine:${tag}`))]);
  }
  expect((await run('status', 'wine')).out).toBe('no rollout\n');
  const { uid, spec } = await api.deployments.update('wine', ({ status, ...each }) => ({
    ...each,
    status: { ...status, rollout: { state: 'baking', step: 1, steps: 2, weight: 10, stable: 1 } },
  }));
  expect((await run('status', 'wine')).out).toBe('baking, step 1 of 2, 10 % to the candidate\n');
  expect((await slipway.run(['describe', 'deployment', 'wine'])).out).toMatch(/rollout +baking, step 1 of 2/);
  expect((await run('pause', 'wine')).out).toBe('deployment/wine: pause is requested\n');
  expect(api.signals.at(-1)).toMatch(/^pause wine 2 by /);

  expect((await run('history', 'wine')).out).toBe('');
  const image = 'example.org/wine:1';
  await api.revisions.keep(uid, {
    ...{ generation: 1, at: '2026-11-20T08:00:00.000Z', updatedBy: 'ada', modelName: 'wine', modelVersion: '1' },
    ...{ image, spec: { ...spec, image } },
  });
  expect((await run('history', 'wine')).out).toMatch(/^GENERATION .*\n1 .* ada +wine:1 +example\.org\/wine:1\n$/);
  const unknown = await run('undo', 'wine', '--to', '9');
  expect([unknown.exitCode === 0, unknown.err]).toEqual([false, expect.stringContaining('kept are: 1')]);
  expect((await run('undo', 'wine', '--to', 'first')).exitCode).toBe(2);
  expect((await run('undo', 'wine')).out).toBe(`deployment/wine goes back to ${image}\n`);
  expect((await api.deployments.get('wine'))?.generation).toBe(3);
  expect((await run('abort', 'wine')).err).toContain('no rollout of deployment "wine" is going on');
});
