import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logPrefix } from '../../../platform/kinds/ids.js';
import type { RunState } from '../../../platform/kinds/run-status.js';
import { startTestApi } from '../test-api.js';
import type { TestApi } from '../test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ logTimes: { pollMs: 20, graceMs: 300, silenceMs: 160 } });
  await api.call('POST', '/api/v1/connection', {
    body: { id: 'code', spec: { type: 'git', uri: 'https://example.org/x' } },
  });
});
afterAll(() => api.stop());

const PATH = '/api/v1/model/training';

/** A training, and what its run does to it. */
async function startTraining(id: string) {
  const spec = {
    model: { name: 'a', version: '1' },
    toolchain: 'mlflow',
    algorithmSource: { vcs: { connection: 'code' } },
  };
  await api.call('POST', PATH, { body: { id, spec } });
  const training = await api.trainings.get(id);
  if (training === undefined) throw new Error(`training ${id} was not stored`);
  const prefix = logPrefix('training', training);
  const writer = await api.logs.writer(prefix);
  return {
    write: async (...texts: string[]) => {
      for (const text of texts) await writer.append({ at: new Date().toISOString(), stream: 'stdout', text });
      await writer.flush();
    },
    finish: () => writer.finish({ exitCode: 0 }),
    set: (state: RunState) => api.trainings.update(id, (each) => ({ ...each, status: { ...each.status, state } })),
  };
}

/** Follows a log; `text` grows while it is open. */
async function follow(path: string) {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${await api.token(['viewer'])}`, accept: 'text/event-stream' };
  const response = await fetch(`${api.url}${path}`, { headers, signal: stop.signal });
  const followed = { response, text: '', closed: false, stop: () => stop.abort() };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? [])
      followed.text += decoder.decode(bytes as Uint8Array, { stream: true });
    followed.closed = true;
  })().catch(() => (followed.closed = true));
  return followed;
}

async function until(what: () => boolean, ms = 60_000) {
  for (const deadline = Date.now() + ms; !what(); await sleep(5)) {
    if (Date.now() > deadline) throw new Error('it did not happen in time');
  }
}

test('before the start a plain read is 409, and an unknown id 404', async () => {
  await startTraining('early');
  const reply = await api.call('GET', `${PATH}/early/log`);
  expect([reply.status, reply.body.code, reply.body.message]).toEqual([
    409,
    'not_started',
    'model Training early has not started yet',
  ]);
  expect((await api.call('GET', `${PATH}/absent/log?follow=1`)).status).toBe(404);
  const bad = await api.call('GET', `${PATH}/early/log?follow=yes`);
  expect([bad.status, bad.body.message]).toEqual([400, 'Convert yes to bool']);
  expect((await api.call('GET', `${PATH}/early/log?tail=-1`)).status).toBe(400);
});

test('a plain read answers what exists and ends, with or without the tail only', async () => {
  const run = await startTraining('plain');
  await run.write('one', 'two', 'three');
  const reply = await api.call('GET', `${PATH}/plain/log`);
  expect(reply.text).toBe('one\ntwo\nthree\n');
  expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(reply.headers.get('cache-control')).toBe('no-cache, no-transform');
  expect((await api.call('GET', `${PATH}/plain/log?tail=2`)).text).toBe('two\nthree\n');
  expect((await api.call('GET', `${PATH}/plain/log?tail=0`)).text).toBe('');
});

test('a follow answers before the start, sends lines as they come, and ends after the final state is stored', async () => {
  const run = await startTraining('followed');
  const log = await follow(`${PATH}/followed/log?follow=True&heartbeat=false`);
  expect(log.response.status).toBe(200);
  await run.write('first');
  await until(() => log.text === 'first\n');
  await run.write('second');
  await until(() => log.text === 'first\nsecond\n');
  await run.finish();
  await sleep(150);
  expect(log.closed).toBe(false); // its log is complete, its state is not
  await run.set('succeeded');
  await until(() => log.closed);
  expect(log.text).toBe('first\nsecond\n');
});

test('a follow with a tail leaves out what was before', async () => {
  const run = await startTraining('tailed');
  await run.write('one', 'two', 'three');
  const log = await follow(`${PATH}/tailed/log?follow=true&tail=1&heartbeat=false`);
  await until(() => log.text === 'three\n');
  await run.write('four');
  await until(() => log.text === 'three\nfour\n');
  log.stop();
});

test('a silent follow speaks up, and the words are not stored', async () => {
  const run = await startTraining('silent');
  const log = await follow(`${PATH}/silent/log?follow=true`);
  await until(() => /^-- running \d+ s, no output for 0 s --\n/.test(log.text));
  log.stop();
  await run.write('line');
  expect((await api.call('GET', `${PATH}/silent/log`)).text).toBe('line\n');
});

test('a follow of a run that ends without a line ends too, and so does that of a removed one', async () => {
  const run = await startTraining('canceled');
  const log = await follow(`${PATH}/canceled/log?follow=true`);
  await run.set('failed');
  await until(() => log.closed);
  await startTraining('removed');
  const removed = await follow(`${PATH}/removed/log?follow=true`);
  await api.call('DELETE', `${PATH}/removed`);
  await until(() => removed.closed);
});

test('a client that goes away ends the reading', async () => {
  const run = await startTraining('left');
  await run.write('line');
  const signals: AbortSignal[] = [];
  const read = api.logs.read.bind(api.logs);
  api.logs.read = (prefix, options) => {
    if (options.signal) signals.push(options.signal);
    return read(prefix, options);
  };
  const log = await follow(`${PATH}/left/log?follow=true`);
  await until(() => log.text.includes('line\n'));
  log.stop();
  await until(() => signals.length > 0 && signals.every((signal) => signal.aborted));
  api.logs.read = read;
});

test("replicas' lines carry their names; one can be picked, and the generation before be seen", async () => {
  const path = '/api/v1/model/deployment';
  const spec = { image: 'x/y:1', predictor: 'triton', maxReplicas: 2 };
  await api.call('POST', path, { body: { id: 'served', spec } });
  const notYet = await api.call('GET', `${path}/served/log`);
  expect([notYet.status, notYet.body.message]).toEqual([409, 'model deployment served has not started yet']);
  const write = async (replica: string, text: string) => {
    const deployment = await api.deployments.get('served');
    if (deployment === undefined) throw new Error('the deployment was not stored');
    const writer = await api.logs.writer(logPrefix('deployment', deployment, replica));
    await writer.append({ at: new Date().toISOString(), stream: 'stdout', text });
    await writer.flush();
  };
  for (const name of ['zz', 'r', 'r01', '', '../r0']) {
    const bad = await api.call('GET', `${path}/served/log?replica=${encodeURIComponent(name)}`);
    expect([bad.status, bad.body.code]).toEqual([400, 'bad_query']);
  }
  expect((await api.call('GET', `${path}/served/log?replica=r1`)).status).toBe(409);
  await write('r0', 'zero');
  const missing = ['replica=r1', 'replica=r2', 'replica=r2&follow=true'];
  for (const query of missing) {
    const { status, body } = await api.call('GET', `${path}/served/log?${query}`);
    expect([status, body.message]).toEqual([404, `deployment "served" has no replica ${query.slice(8, 10)}`]);
  }
  const log = await follow(`${path}/served/log?follow=true&heartbeat=false`);
  await until(() => log.text === '[r0] zero\n');
  await write('r1', 'one');
  await until(() => log.text === '[r0] zero\n[r1] one\n');
  const first = await follow(`${path}/served/log?follow=true&heartbeat=false&generation=1`);
  await until(() => first.text.includes('zero') && first.text.includes('one'));
  expect((await api.call('GET', `${path}/served/log?replica=r1`)).text).toBe('[r1] one\n');
  await api.call('PUT', path, { body: { id: 'served', spec: { ...spec, image: 'x/y:2' } } });
  await write('r0', 'new');
  await until(() => log.text.endsWith('[r0] new\n'));
  await until(() => first.closed);
  expect(first.text.split('\n').sort()).toEqual(['', '[r0] zero', '[r1] one']);
  expect((await api.call('GET', `${path}/served/log?generation=1`)).text).toBe('[r0] zero\n[r1] one\n');
  expect((await api.call('GET', `${path}/served/log?generation=x`)).status).toBe(400);
  expect((await api.call('GET', `${path}/served/log`)).text).toBe('[r0] new\n');
  expect((await api.call('GET', `${path}/served/log?previous=true`)).text).toBe('[r0] zero\n[r1] one\n');
  await api.deployments.remove('served');
  await until(() => log.closed);
});

test('a log that was removed after its days is named as such', async () => {
  const { finish } = await startTraining('forgotten');
  await finish();
  const training = await api.trainings.update('forgotten', (each) => ({
    ...each,
    status: { ...each.status, state: 'succeeded', startedAt: new Date().toISOString() },
  }));
  await api.logs.remove(training === undefined ? '' : logPrefix('training', training));
  expect(await api.call('GET', `${PATH}/forgotten/log`)).toMatchObject({
    status: 404,
    body: { message: expect.stringContaining('SLIPWAY_LOG_DAYS') as string },
  });
});
