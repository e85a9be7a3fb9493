import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { connectDocker } from '../../../platform/engines/docker/connect.js';
import { createDockerEngine } from '../../../platform/engines/docker/engine.js';
import { engineContract } from './contract.js';
import { eventually, launch, MIB, shell, type Subject } from './harness.js';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: these tests need the embedded stack`);
  return value;
};
const docker = connectDocker(setting('DOCKER_HOST'));
const image = 'slipway.local/python:3.11';
const subject: Subject = { engine: createDockerEngine({ docker }), image };

engineContract(
  () => subject,
  () => setting('SLIPWAY_REGISTRY'),
);

test('hard limits are those of the spec, without swap', async () => {
  const limits = { cpus: 0.5, memoryBytes: 96 * MIB };
  const { handle } = await subject.engine.create(shell(image, 'true', { limits }));
  const { HostConfig: host } = await docker.getContainer(handle.name).inspect();
  expect(host.Memory).toBe(96 * MIB);
  expect(host.MemorySwap).toBe(96 * MIB);
  expect(host.NanoCpus).toBe(5e8);
  expect(host.PidsLimit).toBe(512);
  expect(host.Privileged).toBe(false);
});

test('more cpus than the host has are cut, with a warning', async () => {
  const warnings: string[] = [];
  const engine = createDockerEngine({ docker, warn: (message) => warnings.push(message) });
  const { cpus } = await engine.info();
  const { handle } = await engine.create(shell(image, 'true', { limits: { cpus: cpus + 7, memoryBytes: 64 * MIB } }));
  expect((await docker.getContainer(handle.name).inspect()).HostConfig.NanoCpus).toBe(cpus * 1e9);
  expect(warnings).toEqual([`container "${handle.name}" may use ${cpus + 7} cpus, its host has ${cpus}`]);
});

test('two installations on one engine do not see each other', async () => {
  const [ours, theirs] = ['ours', 'theirs'].map((installation) => createDockerEngine({ docker, installation }));
  const spec = shell(image, 'true', { labels: { kind: 'contract', id: `shared-${process.pid}` } });
  await ours?.create(spec);
  expect(await ours?.find({ id: `shared-${process.pid}` })).toHaveLength(1);
  expect(await theirs?.find({ id: `shared-${process.pid}` })).toHaveLength(0);
});

test('a removed container leaves neither volume nor network of its own', async () => {
  const spec = shell(image, 'true', { network: 'internet', volumes: ['/workspace'] });
  await launch(subject, spec);
  const own = await holdingsOf(spec.name);
  expect(own.volumes).toHaveLength(1);
  await subject.engine.remove(spec);
  // By name: other tests make and remove theirs on the same engine meanwhile.
  const left = { networks: await docker.listNetworks(), volumes: (await docker.listVolumes()).Volumes };
  expect(left.volumes.filter(({ Name }) => own.volumes.includes(Name))).toEqual([]);
  expect(left.networks.filter(({ Name }) => own.networks.includes(Name))).toEqual([]);
});

test('a command that outlasts its limit leaves no process behind, half a minute after its container is removed', async () => {
  const spec = shell(image, 'sleep 300');
  await launch(subject, spec);
  const { Id: id } = await docker.getContainer(spec.name).inspect();
  const command = subject.engine.exec(spec, ['sleep', '300'], { timeoutMs: 15_000 });
  const isLate = expect(command).rejects.toMatchObject({ detail: { reason: 'Timeout' } });
  await eventually(async () => (await monitorsOf(id)).length === 2 || undefined);
  await isLate;
  await subject.engine.remove(spec);
  await eventually(async () => (await monitorsOf(id)).length === 0 || undefined);
});

/** The processes by which podman watches a container and each command in it. */
async function monitorsOf(containerId: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes('conmon\0') && command.includes(containerId));
}

async function holdingsOf(name: string): Promise<{ networks: string[]; volumes: (string | undefined)[] }> {
  const { Mounts: mounts, NetworkSettings: net } = await docker.getContainer(name).inspect();
  // The network that Docker's containers share stays for the next one.
  const networks = Object.keys(net.Networks).filter((network) => network !== 'slipway-internet');
  return { networks, volumes: mounts.map((mount) => mount.Name) };
}
