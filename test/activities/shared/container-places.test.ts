import { expect, test } from 'vitest';
import { createContainerPlaces } from '../../../activities/shared/container-places.js';
import { createMemoryEngine, end } from './memory-engine.js';

async function startScene(most: number) {
  const memory = createMemoryEngine({
    onStart: (container) => (container.state = { phase: 'running', startedAt: '', ports: {} }),
  });
  const { engine } = memory;
  const startInPlace = createContainerPlaces({ engine, kind: 'training', most, pollMs: 2 });
  const started: string[] = [];
  const waits: string[] = [];
  const run = async (name: string, part?: string): Promise<void> => {
    const labels = { kind: 'training', id: name, ...(part !== undefined && { part }) };
    const limits = { cpus: 1, memoryBytes: 1 };
    const { handle } = await engine.create({ name, image: 'i', command: [], env: {}, labels, network: 'none', limits });
    await engine.start(handle);
  };
  const start = (name: string, signal = new AbortController().signal) =>
    startInPlace({ name, signal, onWait: async () => void waits.push(name) }, async () => {
      await run(name);
      started.push(name);
    });
  return { started, waits, run, start, end: (name: string) => end(memory.container(name), 0) };
}

test('no more programs run than may, and the others start in the order in which they came', async () => {
  const { started, waits, start, end: finish } = await startScene(2);
  const all = ['a', 'b', 'c', 'd'].map((name) => start(name));
  await expect.poll(() => waits.length).toBeGreaterThanOrEqual(2);
  await Promise.all(all.slice(0, 2));
  expect(started).toEqual(['a', 'b']);
  finish('b');
  await all[2];
  expect(started).toEqual(['a', 'b', 'c']);
  finish('a');
  await all[3];
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

test('a program that runs already is found, also when all places are taken; other containers take none', async () => {
  const { started, run, start } = await startScene(1);
  await run('a-check', 'check');
  await run('a');
  await start('a');
  expect(started).toEqual(['a']);
});

test('one that is canceled while it waits gives up its turn', async () => {
  const { started, waits, start, end: finish } = await startScene(1);
  await start('a');
  const canceling = new AbortController();
  const canceled = start('b', canceling.signal);
  await expect.poll(() => waits).toEqual(['b']);
  const next = start('c');
  canceling.abort();
  await expect(canceled).rejects.toThrow();
  finish('a');
  await next;
  expect(started).toEqual(['a', 'c']);
});
