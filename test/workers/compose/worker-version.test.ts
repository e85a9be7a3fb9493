import { expect, test } from 'vitest';
import { parseSettings } from '../../../config.js';
import { deploymentOptions, takeTasks, workerVersion } from '../../../workers/compose/worker-version.js';
import { VERSION } from '../../../workers/compose/version.js';

const version = { deploymentName: 'slipway', buildId: '2' };
const routed = { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' } as const;
const failure = (code: number) => Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} });

/** A server whose calls answer by `answers`, in turn; it notes to which builds it has to send tasks. */
function serverOf(answers: Record<string, unknown[]>, routing = true) {
  const current: unknown[] = [];
  const said: string[] = [];
  const call = (name: string) => async (request: { buildId?: string }) => {
    const answer = answers[name]?.shift();
    if (answer instanceof Error) throw answer;
    if (request.buildId !== undefined) current.push(request.buildId);
    return answer ?? {};
  };
  const names = ['listWorkerDeployments', 'setWorkerDeploymentCurrentVersion', 'describeWorkerDeployment'];
  const workflowService = Object.fromEntries(names.map((name) => [name, call(name)]));
  const log = { info: () => undefined, warn: (_: unknown, text: string) => void said.push(text) };
  const settings = parseSettings({ SLIPWAY_WORKER_VERSIONING: String(routing) });
  return { server: { connection: { workflowService }, settings, log } as never, current, said };
}
const goingOn = () => ({ signal: new AbortController().signal, retryMs: 1 });

test('the build of a worker names the release and its workflows', async () => {
  const { deploymentName, buildId } = await workerVersion();
  expect(deploymentName).toBe('slipway');
  expect(buildId).toMatch(new RegExp(`^${VERSION}-[0-9a-f]{16}$`));
});

test('a server without worker deployments gets workers without routing; any other failure stops the start', async () => {
  const unrouted = { version, useWorkerVersioning: false };
  expect(await deploymentOptions(version, serverOf({}).server)).toEqual(routed);
  expect(await deploymentOptions(version, serverOf({}, false).server)).toEqual(unrouted);
  const older = serverOf({ listWorkerDeployments: [failure(12)] });
  expect(await deploymentOptions(version, older.server)).toEqual(unrouted);
  await expect(deploymentOptions(version, serverOf({ listWorkerDeployments: [failure(14)] }).server)).rejects.toThrow(
    'refused',
  );
});

test('a build that the server refuses is offered again until it takes it', async () => {
  const { server, current, said } = serverOf({ setWorkerDeploymentCurrentVersion: [failure(9), failure(9), {}] });
  await takeTasks(routed, server, goingOn());
  expect(current).toEqual(['2']);
  expect(said).toHaveLength(1);
});

test('a worker that ends meanwhile does not go on asking', async () => {
  const { server, current } = serverOf({ setWorkerDeploymentCurrentVersion: [failure(9)] });
  const ending = new AbortController();
  const asking = takeTasks(routed, server, { signal: ending.signal, retryMs: 600_000 });
  ending.abort();
  await asking;
  expect(current).toEqual([]);
});

test.each([
  [
    'ends routing that other workers began',
    { workerDeploymentInfo: { routingConfig: { currentDeploymentVersion: version } } },
    [''],
  ],
  ['leaves a deployment without routing alone', { workerDeploymentInfo: { routingConfig: {} } }, []],
  ['needs no deployment', failure(5), []],
  ['needs no server that knows deployments', failure(12), []],
])('a worker without routing %s', async (_name, answer, builds) => {
  const { server, current, said } = serverOf({ describeWorkerDeployment: [answer] }, false);
  await takeTasks({ version, useWorkerVersioning: false }, server, goingOn());
  expect(current).toEqual(builds);
  expect(said).toEqual([]);
});
