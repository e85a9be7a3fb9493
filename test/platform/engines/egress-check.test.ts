import { expect, test } from 'vitest';
import { checkEgress } from '../../../platform/engines/egress-check.js';
import type { ContainerSpec } from '../../../platform/engines/driver.js';
import { createMemoryEngine } from '../../activities/shared/memory-engine.js';

const spec = (name: string, changes: Partial<ContainerSpec> = {}): ContainerSpec => ({
  ...{ name, image: 'wine:1', command: [], env: {}, labels: {}, network: 'internet' },
  ...{ limits: { cpus: 1, memoryBytes: 1 }, ...changes },
});

/** An engine whose check prints `lines`. */
function open({ refuses = true, ends = true, limitMs = 60_000 } = {}) {
  const scene = {
    lines: ['done'],
    checks: 0,
    ms: 0,
    networks: ['podman'],
    host: ['192.0.2.1'],
    warnings: [] as string[],
    findings: [] as (readonly string[])[],
  };
  const memory = createMemoryEngine({
    onStart(container) {
      scene.checks += 1;
      container.lines = scene.lines.map((text) => ({ at: '', stream: 'stdout', text }));
      if (ends) container.state = { phase: 'exited', startedAt: '', finishedAt: '', exitCode: 0, outOfMemory: false };
    },
  });
  const warn = (message: string): void => void scene.warnings.push(message);
  const record = async ({ reached }: { reached: readonly string[] }): Promise<void> => {
    scene.findings.push(reached);
    throw new Error('the database is away');
  };
  const networks = async (): Promise<string[]> => {
    if (scene.networks.length === 0) throw new Error('the engine is away');
    return scene.networks;
  };
  const parts = { engine: { ...memory.engine, networks }, image: 'python', refuses, warn, record };
  const engine = checkEgress({ ...parts, limitMs, now: () => scene.ms, hostAddresses: () => scene.host });
  return { ...memory, scene, engine };
}

test('a container is created once a check has found every address closed, which holds for five minutes', async () => {
  const { engine, scene, containers } = open();
  await Promise.all([engine.create(spec('one')), engine.create(spec('two'))]);
  expect(scene.checks).toBe(1);
  scene.ms = 5 * 60_000 + 1;
  await engine.create(spec('three'));
  expect(scene.checks).toBe(2);
  expect([...containers.keys()]).toEqual(['one', 'two', 'three']);
});

test('a changed network, of the engine or of the host, is checked before the next container is created', async () => {
  const { engine, scene, containers } = open();
  await engine.create(spec('one'));
  scene.networks = ['podman', 'another'];
  scene.lines = ['reached 192.0.2.1', 'done'];
  await expect(engine.create(spec('two'))).rejects.toMatchObject({ code: 'unavailable' });
  scene.lines = ['done'];
  await engine.create(spec('two'));
  expect(scene.checks).toBe(3);
  scene.host = ['192.0.2.1', '10.8.0.2'];
  await engine.create(spec('three'));
  await engine.create(spec('four'));
  expect(scene.checks).toBe(4);
  expect([...containers.keys()]).toEqual(['one', 'two', 'three', 'four']);
});

test('a network that changes during a check is checked once more, and without a list of networks nothing is created', async () => {
  const { engine, scene, containers } = open();
  const creating = engine.create(spec('one'));
  scene.networks = ['podman', 'another'];
  await creating;
  await engine.create(spec('two'));
  expect(scene.checks).toBe(2);
  scene.networks = [];
  await expect(engine.create(spec('three'))).rejects.toThrow('the engine is away');
  expect([...containers.keys()]).toEqual(['one', 'two']);
});

test('while an address answers, no container with a network is created, and the message says what to do', async () => {
  const { engine, scene, containers } = open();
  scene.lines = ['reached 169.254.169.254', 'done'];
  const publicMessage = expect.stringMatching(
    /^containers can reach 169\.254\.169\.254: a firewall .* SLIPWAY_EGRESS_CHECK=warn/,
  ) as string;
  await expect(engine.create(spec('one'))).rejects.toMatchObject({ code: 'unavailable', publicMessage });
  await expect(engine.create(spec('replica', { network: 'none', publish: [5_000] }))).rejects.toThrow();
  await engine.create(spec('job', { network: 'none' }));
  expect([...containers.keys()]).toEqual(['job']);
  scene.lines = ['done'];
  await engine.create(spec('one'));
  expect(scene.findings).toEqual([['169.254.169.254'], ['169.254.169.254'], []]);
});

test('a check that ends early refuses', async () => {
  const { engine, scene } = open();
  scene.lines = ['Traceback'];
  await expect(engine.create(spec('one'))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('Traceback') as string,
  });
});

test('a check that hangs ends, and the next container is checked again', async () => {
  const { engine, scene, removed } = open({ ends: false, limitMs: 10 });
  scene.lines = [];
  for (const checks of [1, 2]) {
    await expect(engine.create(spec('one'))).rejects.toMatchObject({ code: 'unavailable' });
    expect([scene.checks, removed.length]).toEqual([checks, checks]);
  }
});

test('with `warn` containers run all the same', async () => {
  const { engine, scene } = open({ refuses: false });
  scene.lines = ['reached 10.0.0.1', 'done'];
  await engine.create(spec('one'));
  expect(scene.warnings).toContainEqual(expect.stringContaining('containers can reach 10.0.0.1'));
});
