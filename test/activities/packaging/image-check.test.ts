import { expect, test } from 'vitest';
import { checkImage, removeCheck } from '../../../activities/packaging/image-check.js';
import type { PackagingStep } from '../../../activities/packaging/packaging-step.js';
import type { ContainerSpec } from '../../../platform/engines/driver.js';
import { PackagingSpec } from '../../../lifecycle/kinds/packaging.js';
import { newAttempt } from '../shared/environment.js';
import { createMemoryEngine, end, type MemoryContainer, print } from '../shared/memory-engine.js';
import { newPackaging } from '../shared/resources.js';

const REF = { id: 'wine', uid: '0d5b2a5e-7f2c-4a31-9f3e-0d2a5b7c9e11', generation: 3 };
const AUTH = { username: 'robot', password: 'secret', serveraddress: 'registry.example' };
const ANSWER = { info: { title: 'wine', version: '1' }, got: [1], expected: [1] };

function open(answer: object | string, exitCode = 0) {
  const said: string[] = [];
  const lines: string[] = [];
  const created: unknown[] = [];
  let server: MemoryContainer | undefined;
  const memory = createMemoryEngine({
    onStart(container) {
      print(container, 'Traceback', 'KeyError: alcohol');
      server = container;
    },
    async exec() {
      if (server && exitCode !== 0) end(server, exitCode); // nothing waits for the end of a server that is gone
      return { exitCode, output: typeof answer === 'string' ? answer : JSON.stringify(answer) };
    },
  });
  const engine: typeof memory.engine = {
    ...memory.engine,
    create: async (spec) => {
      created.push(spec);
      return memory.engine.create(spec);
    },
  };
  const step = {
    packaging: newPackaging('wine', PackagingSpec.parse({})),
    log: { append: async ({ text }: { text: string }) => void lines.push(text) },
    say: (text: string) => void said.push(text),
    signal: new AbortController().signal,
  } as unknown as PackagingStep;
  const attempt = newAttempt();
  const check = () =>
    attempt.run(() => checkImage(engine, { ref: REF, image: 'wine:3', auth: AUTH, readySeconds: 1, step }));
  return { ...memory, check, attempt, said, lines, created };
}

test('an image that answers its sample passes, and its container is left to the next step', async () => {
  const { check, engine, said, lines, containers, removed, created, pulls } = open(ANSWER);
  expect(await check()).toEqual({ imageId: 'sha256:1', sizeBytes: 1 });
  expect(pulls).toEqual([{ ref: 'wine:3', auth: AUTH }]);
  expect(said.join('\n')).toContain('wine 1 answers its sample');
  expect([lines, containers.size, removed]).toEqual([[], 1, []]);
  await removeCheck(engine, REF);
  expect(containers.size).toBe(0);
  expect(created).toMatchObject([
    {
      image: 'wine:3',
      network: 'none',
      env: {},
      command: [],
      labels: { kind: 'packaging', id: 'wine', part: 'smoke' },
    },
  ]);
});

test.each<[string, object | string, number]>([
  ['another answer than the model', { ...ANSWER, got: [2] }, 0],
  ['an error', 'no info', 1],
])('an image with %s does not pass: the log has its own lines', async (_, answer, exitCode) => {
  const { check, lines, containers } = open(answer, exitCode);
  await expect(check()).rejects.toMatchObject({ code: 'run_failed', detail: { reason: 'SelfCheckFailed' } });
  expect(lines).toEqual(['Traceback', 'KeyError: alcohol']);
  expect(containers.size).toBe(0);
});

test('a canceled check leaves its container to the step that removes all of them', async () => {
  const { check, attempt, containers } = open('broken', 1);
  attempt.cancel();
  await expect(check()).rejects.toThrow();
  expect(containers.size).toBe(1);
});

test('a repeated check finds the container of the earlier attempt', async () => {
  const { check, containers, created } = open(ANSWER);
  await check();
  await check();
  expect([containers.size, created.length]).toEqual([1, 2]);
});

/** Checks the image of a command line tool that prints these lines and ends so. */
async function checkTool(lines: string[], exitCode: number) {
  const said: string[] = [];
  const memory = createMemoryEngine({
    onStart(container) {
      print(container, ...lines);
      end(container, exitCode);
    },
  });
  const labels = { 'dev.slipway.packager': 'container-cli' };
  const image = { id: 'sha256:2', digests: [], labels, env: [], sizeBytes: 7, layers: [], createdAt: '' };
  memory.images.set('tool:1', image);
  const specs: ContainerSpec[] = [];
  const engine = {
    ...memory.engine,
    create: (spec: ContainerSpec) => memory.engine.create((specs.push(spec), spec)),
  };
  const step = {
    packaging: newPackaging('wine', PackagingSpec.parse({})),
    log: { append: async () => undefined },
    say: (text: string) => void said.push(text),
    signal: new AbortController().signal,
  } as unknown as PackagingStep;
  const checked = newAttempt().run(() => checkImage(engine, { ref: REF, image: 'tool:1', readySeconds: 1, step }));
  return { checked, said, specs, containers: memory.containers };
}

test('a command line tool is started with its own check, and its last line is logged', async () => {
  const { checked, said, specs, containers } = await checkTool(['Input schema:', 'INFO wine 3 predicts its sample'], 0);
  expect(await checked).toEqual({ imageId: 'sha256:2', sizeBytes: 7 });
  expect(said).toContain('INFO wine 3 predicts its sample');
  expect(specs).toMatchObject([{ command: ['self_check'], network: 'none', volumes: ['/tmp'] }]);
  expect(containers.size).toBe(1);
});

test('a command line tool whose check fails is reported with its last line', async () => {
  const { checked } = await checkTool(['Traceback', 'slipway: the model cannot be loaded'], 1);
  await expect(checked).rejects.toMatchObject({
    detail: { reason: 'SelfCheckFailed' },
    message: 'the command line of the image does not work: the model cannot be loaded',
  });
});
