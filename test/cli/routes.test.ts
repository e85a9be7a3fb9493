import { expect, test } from 'vitest';
import { startSlipway } from './slipway.js';

const { api, slipway } = await startSlipway();

const deployment = (id: string) => `
kind: ModelDeployment
id: ${id}
spec: { image: registry.example.org/${id}:1, predictor: platform-ml-server }
`;
const manifest = (spec: string) => `
kind: ModelRoute
id: wine
spec:
  urlPrefix: /custom/wine
  ${spec}
---${deployment('wine-a')}---${deployment('wine-b')}`;

const BOTH = 'modelDeployments: [{ mdName: wine-a, weight: 90 }, { mdName: wine-b, weight: 10 }]';

test('a route is applied with its deployments, described and deleted', async () => {
  const file = await slipway.file(manifest(`${BOTH}\n  sticky: { header: X-User }`));
  const applied = await slipway.run(['apply', '-f', file]);
  expect([applied.exitCode, applied.out]).toEqual([
    0,
    'deployment/wine-a created\ndeployment/wine-b created\nroute/wine created\n',
  ]);
  expect((await slipway.run(['apply', '-f', file])).out).toContain('route/wine unchanged\n');
  expect((await slipway.run(['get', 'routes'])).out).toMatch(
    /^wine +Processing +\/custom\/wine +wine-a=90,wine-b=10 /m,
  );
  const described = (await slipway.run(['describe', 'route', 'wine'])).out;
  expect(described).toMatch(/sticky by +header X-User\n/);
  expect(described).toContain('deployment/wine-a');

  // A field that is left out is cleared, and the weight of a single target may be absent.
  const single = await slipway.file(manifest('modelDeployments: [{ mdName: wine-b }]'));
  expect((await slipway.run(['apply', '-f', single])).out).toContain('route/wine updated\n');
  expect((await slipway.run(['apply', '-f', single])).out).toContain('route/wine unchanged\n');
  expect((await api.call('GET', '/api/v1/model/route/wine')).body.spec).toEqual({
    ...{ urlPrefix: '/custom/wine', modelDeployments: [{ mdName: 'wine-b', weight: 100 }], sticky: {} },
  });
  expect((await slipway.run(['delete', 'route', 'wine'])).out).toBe('route/wine deleted\n');
});

test('a route that the server would refuse is refused with its line, before anything is sent', async () => {
  const file = await slipway.file(manifest(BOTH.replace('10', '20')));
  const { exitCode, err } = await slipway.run(['apply', '-f', file]);
  expect(exitCode).toBe(2);
  expect(err).toMatch(/:6: total target weight does not equal 100/);
  expect((await api.call('GET', '/api/v1/model/route/wine')).status).toBe(404);
});
