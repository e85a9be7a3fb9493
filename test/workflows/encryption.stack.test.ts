import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSettings } from '../../config.js';
import { workflowId } from '../../platform/kinds/ids.js';
import { choosePorts } from '../../platform/kinds/ports.js';
import { createKeyRing } from '../../platform/stores/key-ring.js';
import { findBinary } from '../../stack/binaries.js';
import { defaultCacheDir } from '../../stack/stack.js';
import { createCodecEndpoint } from '../../workers/compose/codec-endpoint.js';
import { close, listen } from '../../workers/compose/listen.js';
import { createPayloadCodec, dataConverterOf } from '../../workers/compose/payload-codec.js';
import { sharedWorkflowBundle } from '../stack/workflow-bundle.js';
import { readable } from '../e2e/stored-histories.js';
import { giveUp, goOn, TRAINING } from './fakes.js';
import { eventually, newRef, openNamespace, type TestNamespace } from './namespace.js';

/** A word in results, arguments, notes of steps and failures of these runs. */
const WORD = 'marigold';
const SLIPWAY_SECRET_KEY = randomBytes(32).toString('base64');
const OFF = dataConverterOf(parseSettings({ SLIPWAY_SECRET_KEY }));
const ON = dataConverterOf(parseSettings({ SLIPWAY_SECRET_KEY, TEMPORAL_ENCRYPT_PAYLOADS: 'true' }));

let plain: TestNamespace;
let encrypting: TestNamespace;
let connection: Connection;
beforeAll(async () => {
  plain = await openNamespace({ dataConverter: OFF });
  encrypting = await openNamespace({ name: plain.name, dataConverter: ON, encodesFailures: true });
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' });
});
afterAll(async () => {
  await encrypting.close();
  await plain.close();
  await connection.close();
});

const SPEAKING = {
  ...TRAINING,
  claimTraining: async () => ({ modelName: 'wine', modelVersion: '1', toolchain: WORD }),
  prepareWorkspace: async () => ({ key: WORD, digest: 'd', commit: 'c0ffee', dataDigests: {} }),
  storeArtifact: async () => `${WORD}-1.zip`,
};
const FAILING = { ...SPEAKING, awaitTraining: giveUp('ToolchainFailed', `it said ${WORD}`) };

/** The history as the server has it. */
async function storedHistory(id: string) {
  const client = new Client({ connection, namespace: plain.name });
  const history = await client.workflow.getHandle(workflowId('training', id)).fetchHistory();
  return { history, text: JSON.stringify(history, (_, value) => readable(value)) };
}
/** The program of the embedded server, which is built already. */
const findTemporal = (): Promise<string> => {
  const places = {
    stateDir: '',
    cacheDir: defaultCacheDir(process.env),
    ports: choosePorts(20_000, { temporal: 1, temporalUi: 2 }),
    found: {},
  };
  const tools = { signal: new AbortController().signal, say: () => undefined };
  return findBinary('temporal', { ...places, environment: process.env }, tools);
};

type History = Awaited<ReturnType<typeof storedHistory>>['history'];
const replay = async (history: History, dataConverter = ON, encodesFailures = true) =>
  Worker.runReplayHistory(
    { workflowBundle: { codePath: await sharedWorkflowBundle({ encodesFailures }) }, dataConverter },
    history,
  );

test('without encryption the word is in the history', async () => {
  const ref = newRef();
  await plain.withActivities(FAILING, async () => {
    await plain.runs.changed('training', ref);
    await expect(plain.handle('training', ref.id).result()).rejects.toThrow();
  });
  expect((await storedHistory(ref.id)).text).toContain(`it said ${WORD}`);
});

test('no text of a run is in its history, and clients and replays read it', async () => {
  const [succeeds, fails] = [newRef(), newRef()];
  await encrypting.withActivities(SPEAKING, async () => {
    await encrypting.runs.changed('training', succeeds);
    expect(await encrypting.handle('training', succeeds.id).result()).toBe(`${WORD}-1.zip`);
  });
  await encrypting.withActivities(FAILING, async () => {
    await encrypting.runs.changed('training', fails);
    const failure = await encrypting
      .handle('training', fails.id)
      .result()
      .then(String, (err: unknown) => inspect(err, { depth: 9 }));
    expect(failure).toContain(`it said ${WORD}`);
  });
  for (const { id } of [succeeds, fails]) {
    const { text, history } = await storedHistory(id);
    expect(text).toContain('binary/encrypted');
    expect(text).not.toContain(WORD);
    await replay(history);
    await replay(history, OFF, false);
  }
});

test('the command line of Temporal shows a run by the codec server', async () => {
  const ref = newRef();
  await encrypting.withActivities(SPEAKING, async () => {
    await encrypting.runs.changed('training', ref);
    await encrypting.handle('training', ref.id).result();
  });
  const codec = createPayloadCodec(createKeyRing({ key: SLIPWAY_SECRET_KEY }), { encrypts: false });
  const server = createServer(createCodecEndpoint({ codec, token: 'token', origin: 'http://127.0.0.1:8233' }));
  await listen(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const show = async (...more: string[]) => {
    const at = ['--address', process.env.TEMPORAL_ADDRESS ?? '', '--namespace', plain.name];
    const args = [
      'workflow',
      'show',
      '--workflow-id',
      workflowId('training', ref.id),
      '--output',
      'json',
      ...at,
      ...more,
    ];
    const { stdout } = await execa(await findTemporal(), args);
    return JSON.stringify(JSON.parse(stdout), (_, value) => readable(value));
  };
  expect(await show()).not.toContain(WORD);
  expect(await show('--codec-endpoint', `http://127.0.0.1:${port}/token`)).toContain(WORD);
  await close(server);
});

test('a run that began in plain form goes on encrypted, and back', async () => {
  const ref = newRef();
  const waiting = { ...SPEAKING, ensureTrainingEnvironment: goOn };
  await plain.withActivities(waiting, async () => {
    await plain.runs.changed('training', ref);
    await eventually(async () => (await storedHistory(ref.id)).text.includes('ensureTrainingEnvironment'));
  });
  await encrypting.withActivities({ ...SPEAKING, awaitTraining: goOn }, async () => {
    await eventually(async () => (await storedHistory(ref.id)).text.includes('awaitTraining'));
  });
  await plain.withActivities(SPEAKING, async () => {
    expect(await plain.handle('training', ref.id).result()).toBe(`${WORD}-1.zip`);
  });
  const { history, text } = await storedHistory(ref.id);
  expect(text).toContain(WORD);
  expect(text).toContain('binary/encrypted');
  await replay(history);
  await replay(history, OFF, false);
});
