import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../../platform/engines/docker/engine.js';
import { engineEnvironment, engineHost, placeEngine, writeEngineSettings } from '../../../stack/engine-settings.js';
import { imagesOf } from '../../../stack/image-store.js';
import { endDeadContainers } from '../../../stack/dead-containers.js';
import { podman } from '../../../stack/podman.js';
import { removeTree } from '../../../stack/remove-tree.js';
import { rememberStores } from '../../../stack/store-record.js';
import { STATE_DIR } from '../../stack/test-stack.js';
import { eventually, shell } from './harness.js';

const IMAGE = 'slipway.local/python:3.11';
// An engine of its own: its records are changed by hand while no other test uses it.
const stateDir = join(STATE_DIR, 'ghosts');
const place = placeEngine(stateDir);
const warnings: string[] = [];
const docker = connectDocker(engineHost(place));
const engine = createDockerEngine({ docker, warn: (message) => warnings.push(message) });
let service: ChildProcess;

beforeAll(async () => {
  const imageStores = (await rememberStores(placeEngine(STATE_DIR).folder, undefined)).map(imagesOf);
  await writeEngineSettings({ ...place, imageStores, plainRegistries: [] });
  const env = { ...process.env, ...engineEnvironment(place) };
  service = spawn('podman', ['system', 'service', '--time', '0', engineHost(place)], { env, cwd: place.folder });
  await eventually(async () => docker.ping().catch(() => undefined));
});
afterAll(async () => {
  await podman(stateDir, 'rm', '--all', '--force', '--volumes', '--time', '0');
  const ended = once(service, 'exit');
  service.kill();
  await ended;
  await removeTree(stateDir);
  await removeTree(place.runFolder);
});

/** Creates a container and takes its storage away, as a kill of the engine in the middle of a removal does. */
async function createGhost() {
  const spec = shell(IMAGE, 'true');
  await engine.create(spec);
  const file = join(place.folder, 'storage', 'overlay-containers', 'containers.json');
  const known = JSON.parse(await readFile(file, 'utf8')) as { names: string[] }[];
  await writeFile(file, JSON.stringify(known.filter(({ names }) => !names.includes(spec.name))));
  // A write by another process makes the service read the file again.
  await podman(stateDir, 'create', '--name', 'other', IMAGE, 'true');
  await podman(stateDir, 'rm', 'other');
  await expect(docker.listContainers({ all: true })).rejects.toMatchObject({ statusCode: 500 });
  await expect(docker.getContainer(spec.name).inspect()).rejects.toMatchObject({ statusCode: 500 });
  warnings.length = 0;
  return spec;
}

test('a list removes the containers without storage and shows the others', async () => {
  const { handle } = await engine.create(shell(IMAGE, 'true'));
  await createGhost();
  expect((await engine.find({ kind: 'contract' })).map(({ name }) => name)).toEqual([handle.name]);
  expect(warnings).toHaveLength(1);
  expect(await docker.listContainers({ all: true })).toHaveLength(1);
});

test('a container without storage is gone for a look, is removed and is made again', async () => {
  expect(await engine.state(await createGhost())).toBeUndefined();
  const removed = await createGhost();
  await engine.remove(removed);
  const made = await createGhost();
  expect(await engine.create(made)).toEqual({ handle: { name: made.name }, existed: false });
  expect(await engine.state(made)).toEqual({ phase: 'created' });
});

test('a container whose processes were killed with its monitor is running until podman knows of it, and can be removed then', async () => {
  const spec = shell(IMAGE, 'sleep 600');
  const { handle } = await engine.create(spec);
  await engine.start(handle);
  const [found] = await podman(stateDir, 'inspect', '--format', '{{.State.ConmonPid}} {{.State.Pid}}', spec.name);
  for (const pid of (found ?? '').split(' ').map(Number)) process.kill(pid, 'SIGKILL'); // the monitor first
  expect(await engine.state(handle)).toMatchObject({ phase: 'running' });
  await eventually(async () => {
    await endDeadContainers(stateDir);
    return (await engine.state(handle))?.phase === 'exited' || undefined;
  });
  expect(await engine.state(handle)).toMatchObject({ phase: 'exited', exitCode: 137 });
  await engine.remove(handle);
  expect(await engine.state(handle)).toBeUndefined();
});
