import { expect, test } from 'vitest';
import { smokeTest } from '../../../activities/packaging/smoke-test.js';
import { createMemoryEngine, end, type MemoryContainer } from '../shared/memory-engine.js';

const SPEC = {
  name: 'smoke',
  image: 'i',
  command: [],
  env: {},
  labels: {},
  network: 'none' as const,
  limits: { cpus: 1, memoryBytes: 1 },
};

/** Tests an image in which the question ends so; `ends`: the server ends with it. */
async function ask({ exitCode, output, ends }: { exitCode: number; output: string; ends?: number }): Promise<string> {
  let server: MemoryContainer | undefined;
  const memory = createMemoryEngine({
    onStart: (container) => (server = container),
    exec: async () => {
      if (server && ends !== undefined) end(server, ends);
      return { exitCode, output };
    },
  });
  const { handle } = await memory.engine.create(SPEC);
  await memory.engine.start(handle);
  return smokeTest(memory.engine, handle, { readySeconds: 1, endMs: 20, signal: new AbortController().signal });
}

const info = { title: 'wine', version: '1' };
const answering = (answer: object) => ask({ exitCode: 0, output: `noise\n${JSON.stringify(answer)}\n` });
const failed = (why: RegExp) => ({
  detail: expect.objectContaining({ reason: 'SelfCheckFailed' }),
  message: expect.stringMatching(why),
});

test('an image that answers its sample as its model did passes', async () => {
  expect(await answering({ info, got: [1.0000001], expected: [1] })).toBe('INFO wine 1 answers its sample');
  expect(await answering({ info, got: [1], expected: null })).toBe('INFO wine 1 answers its sample');
  expect(await answering({ info })).toMatch(/no sample/);
});

test('an image that answers otherwise does not pass', async () => {
  await expect(answering({ info, got: [2], expected: [1] })).rejects.toMatchObject(failed(/otherwise/));
});

test('a server that ends takes the question along: its own end is reported', async () => {
  await expect(ask({ exitCode: 137, output: '', ends: 3 })).rejects.toMatchObject(failed(/ended with exit code 3$/));
});

test('an answer that cannot be had is reported by its last line, or by how the question ended', async () => {
  await expect(ask({ exitCode: 1, output: 'Traceback\nno info\n' })).rejects.toMatchObject(failed(/answer: no info$/));
  await expect(ask({ exitCode: 137, output: '' })).rejects.toMatchObject(failed(/answer: exit code 137$/));
});

test('a server that does not get ready is reported with its limit', async () => {
  await expect(ask({ exitCode: 75, output: '1\n' })).rejects.toMatchObject(failed(/not ready within 1 s$/));
  await expect(ask({ exitCode: 75, output: '4\n' })).rejects.toMatchObject(
    failed(/not ready within 1 s \(4 s, as the machine is busy\)$/),
  );
});
