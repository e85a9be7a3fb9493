import { expect, test } from 'vitest';
import { inspectBase } from '../../../activities/packaging/base-image.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createMemoryEngine, end, print } from '../shared/memory-engine.js';

const REF = { id: 'wine', uid: '0d5b2a5e-7f2c-4a31-9f3e-0d2a5b7c9e11', generation: 3 };
const LISTED = '{"python": "3.11", "packages": {"numpy": "1.26.4"}}';

function open({ lines = [LISTED] as string[], objects = createMemoryObjects(), ends = true } = {}) {
  const memory = createMemoryEngine({
    onStart: (container) => {
      print(container, ...lines);
      if (ends) end(container, 0);
    },
  });
  const created: object[] = [];
  const engine: typeof memory.engine = {
    ...memory.engine,
    create: async (spec) => {
      created.push(spec);
      return memory.engine.create(spec);
    },
    // As an engine does.
    async *logs(handle, options) {
      yield* memory.engine.logs(handle, options);
      options.signal?.throwIfAborted();
    },
  };
  const inspect = (id = 'sha256:1', signal = new AbortController().signal) =>
    inspectBase(engine, objects, {
      ...{ kind: 'packaging', ref: REF, image: 'python:3.11', digest: id, signal, limitMs: ends ? 60_000 : 10 },
      ensure: async () => `python@${id}`,
    });
  return { inspect, created, objects, containers: memory.containers, removed: memory.removed };
}

test('the packages of a base are those that its Python lists last', async () => {
  const { inspect } = open({ lines: ['a warning of the image', '{"not": "yet"}', LISTED] });
  expect(await inspect()).toEqual({ python: '3.11', packages: { numpy: '1.26.4' } });
});

test('a listing of many lines is read whole: one line would be cut at 64 KiB', async () => {
  const lines = [
    'a warning',
    ...JSON.stringify(JSON.parse(LISTED), undefined, 1)
      .split('\n')
      .map((line) => line.trim()),
  ];
  expect(await open({ lines }).inspect()).toMatchObject({ python: '3.11', packages: { numpy: '1.26.4' } });
});

test('an image that prints without end fails the packaging', async () => {
  const lines = Array.from({ length: 100 }, () => 'a'.repeat(60_000));
  await expect(open({ lines }).inspect()).rejects.toMatchObject({
    message: 'the base image "python:3.11" prints more than 4194304 characters',
  });
});

test('an image that never ends fails the packaging, which is not tried again', async () => {
  const { inspect, removed } = open({ lines: [], ends: false });
  await expect(inspect()).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'PackagerFailed' } },
    message: 'the base image "python:3.11" did not list its packages within 0.01 s',
  });
  expect(removed).toHaveLength(1);
});

test('the container has no network and is gone afterwards', async () => {
  const { inspect, created, containers, removed } = open();
  await inspect();
  expect(created).toMatchObject([
    {
      ...{ image: 'python@sha256:1', network: 'none', env: {} },
      labels: { kind: 'packaging', id: 'wine', part: 'base' },
    },
  ]);
  expect([containers.size, removed.length]).toEqual([0, 1]);
});

test('an image is listed once: its id says all of its content', async () => {
  const objects = createMemoryObjects();
  const [first, second] = [open({ objects }), open({ objects, lines: ['never read'] })];
  await first.inspect();
  expect(await second.inspect()).toMatchObject({ python: '3.11' });
  expect([first.created.length, second.created.length]).toEqual([1, 0]);
  const other = open({ objects, lines: ['{"python": "3.12", "packages": {}}'] });
  expect(await other.inspect('sha256:2')).toMatchObject({ python: '3.12', packages: {} });
});

test.each([[['sh: python3: not found']], [[]]])('an image without Python fails the packaging: %j', async (lines) => {
  const { inspect, containers, objects } = open({ lines });
  await expect(inspect()).rejects.toMatchObject({
    ...{ code: 'run_failed', detail: { reason: 'PackagerFailed' } },
    message: expect.stringContaining('python:3.11'),
  });
  expect(containers.size).toBe(0);
  expect(await objects.head('bases/sha256-1.json')).toBeUndefined(); // a failure is not kept
});

test('a canceled inspection keeps nothing', async () => {
  const { inspect, objects } = open();
  await expect(inspect('sha256:1', AbortSignal.abort(new Error('canceled')))).rejects.toThrow('canceled');
  expect(await objects.head('bases/sha256-1.json')).toBeUndefined();
});
