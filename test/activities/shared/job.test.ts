import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { cancellationSignal } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { startJob, superviseJob } from '../../../activities/shared/job.js';
import { readOutcome } from '../../../activities/training/outcome.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import { createLogs } from '../../../platform/stores/stored-logs.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { tarOf } from './archives.js';
import { newAttempt } from './environment.js';
import { createMemoryEngine, end, print } from './memory-engine.js';

const NAME = 'job';
const spec = {
  name: NAME,
  image: 'i',
  command: [],
  env: {},
  labels: {},
  network: 'none' as const,
  limits: { cpus: 1, memoryBytes: 1 },
};

async function startOne(objects: ObjectStore = createMemoryObjects()) {
  const memory = createMemoryEngine();
  const handle = await startJob(memory.engine, spec, async () => {});
  const logs = createLogs({ objects, flushMs: 5, pollMs: 5 });
  return { ...memory, handle, logs, program: memory.container(NAME) };
}
type Job = Awaited<ReturnType<typeof startOne>>;

/** Follows the job as an activity does. */
async function follow({ engine, handle, logs }: Job, options: Partial<Parameters<typeof superviseJob>[0]> = {}) {
  const log = await logs.writer('logs/');
  await log.step('train');
  const watch = { limitSeconds: 60, pollMs: 5, signal: cancellationSignal(), beat: () => {} };
  return superviseJob({ engine, handle, log, ...watch, ...options }).finally(() => log.flush());
}
async function textOf({ logs }: Job): Promise<string> {
  let text = '';
  for await (const part of logs.read('logs/', { follow: false })) text += part;
  return text;
}
const soon = (act: () => void) => setTimeout(act, 30);

test('a job is filled and started once, however often it is asked for', async () => {
  const { engine, container } = createMemoryEngine();
  const fill = vi.fn(async () => {});
  await startJob(engine, spec, fill);
  await startJob(engine, spec, fill);
  expect(fill).toHaveBeenCalledTimes(1);
  expect(container(NAME).starts).toBe(1);
});

test('a job that was created but never started is filled again', async () => {
  const { engine, container } = createMemoryEngine();
  const broken = vi.fn(async () => Promise.reject(new Error('the line is dead')));
  await expect(startJob(engine, spec, broken)).rejects.toThrow('dead');
  const fill = vi.fn(async () => {});
  await startJob(engine, spec, fill);
  expect(fill).toHaveBeenCalledTimes(1);
  expect(container(NAME).state.phase).toBe('running');
});

test('the rest of a long log is copied with heartbeats, after the program has ended', async () => {
  const job = await startOne();
  const engine = {
    ...job.engine,
    async *logs() {
      await sleep(2_500); // a flood of lines takes minutes
      yield { at: '2026-01-01T00:00:00.000000000Z', stream: 'stdout' as const, text: 'the last line' };
    },
  };
  end(job.program, 0);
  const beats: number[] = [];
  const begunAt = Date.now();
  await newAttempt().run(follow, { ...job, engine }, { beat: () => void beats.push(Date.now() - begunAt) });
  expect(beats.filter((ms) => ms > 1_500).length).toBeGreaterThan(0);
  expect(await textOf(job)).toContain('the last line');
});

test('a job is followed to its end, with its log and heartbeats', async () => {
  const job = await startOne();
  const beat = vi.fn();
  soon(() => {
    print(job.program, 'epoch 1', 'epoch 2');
    end(job.program, 3, true);
  });
  expect(await newAttempt().run(follow, job, { beat })).toEqual({ exitCode: 3, outOfMemory: true });
  expect(await textOf(job)).toBe('INFO === train\nepoch 1\nepoch 2\n');
  expect(beat.mock.calls.length).toBeGreaterThan(1);
});

test.each(['CANCELLED', 'WORKER_SHUTDOWN', 'TIMED_OUT', 'NOT_FOUND'] as const)(
  'stopped by %s, the supervision ends, and the job goes on',
  async (reason) => {
    const job = await startOne();
    const environment = newAttempt();
    print(job.program, 'epoch 1');
    const followed = environment.run(follow, job);
    soon(() => environment.cancel(reason));
    const err: unknown = await followed.catch((cause: unknown) => cause);
    expect(err instanceof CancelledFailure || (err as Error).name === 'AbortError').toBe(true);
    expect(job.program.state.phase).toBe('running');
    expect(job.removed).toEqual([]);
    expect(await textOf(job)).toContain('epoch 1');
  },
);

test('the next attempt goes on behind the last line that was stored', async () => {
  const job = await startOne();
  print(job.program, 'epoch 1');
  const first = newAttempt();
  soon(() => first.cancel('WORKER_SHUTDOWN'));
  await first.run(follow, job).catch(() => undefined);
  print(job.program, 'epoch 2');
  soon(() => end(job.program, 0));
  expect(await newAttempt().run(follow, job)).toEqual({ exitCode: 0, outOfMemory: false });
  expect(await textOf(job)).toBe('INFO === train\nepoch 1\nepoch 2\n');
});

test('a job past its limit is stopped and is Timeout, also for the attempt after the one that stopped it', async () => {
  const job = await startOne();
  const overdue = { code: 'run_failed', detail: expect.objectContaining({ reason: 'Timeout' }) };
  await new Promise((resolve) => setTimeout(resolve, 20));
  await expect(newAttempt().run(follow, job, { limitSeconds: 0.01 })).rejects.toMatchObject(overdue);
  expect(job.program.stops).toBe(1);
  await expect(newAttempt().run(follow, job, { limitSeconds: 0.01 })).rejects.toMatchObject(overdue);
});

const vanish = (job: Job) => void job.engine.remove(job.handle);
/** Puts the container in the state that podman reports after a restart of the host. */
const loseProcess = ({ container }: Job) => void (container(NAME).state = { phase: 'created' });
const kill = ({ container }: Job) => end(container(NAME), 137);

test.each([
  ['that vanished', vanish, 'container job is gone'],
  ['whose host was restarted', loseProcess, 'container job lost its process when its host was restarted'],
])('a job %s is run again, and its log says so', async (_, lose, said) => {
  const job = await startOne();
  const fill = vi.fn(async () => {});
  const resubmit = async () => {
    await startJob(job.engine, spec, fill);
    soon(() => end(job.container(NAME), 0));
  };
  soon(() => lose(job));
  expect(await newAttempt().run(follow, job, { resubmit })).toEqual({ exitCode: 0, outOfMemory: false });
  expect(fill).toHaveBeenCalledTimes(1);
  expect(await textOf(job)).toBe(`INFO === train\nWARNING ${said}; it is run again\n`);
});

test.each([
  ['vanishes', vanish],
  ['loses its process', loseProcess],
])('a job that %s again and again is Evicted', async (_, lose) => {
  const job = await startOne();
  const resubmit = vi.fn(async () => {
    await startJob(job.engine, spec, async () => {});
    soon(() => lose(job));
  });
  soon(() => lose(job));
  await expect(newAttempt().run(follow, job, { resubmit })).rejects.toMatchObject({
    detail: expect.objectContaining({ reason: 'Evicted' }),
  });
  expect(resubmit).toHaveBeenCalledTimes(2);
});

test('a job that vanished is Evicted where nothing is known to run it again', async () => {
  const job = await startOne();
  soon(() => vanish(job));
  await expect(newAttempt().run(follow, job)).rejects.toMatchObject({
    detail: expect.objectContaining({ reason: 'Evicted', message: 'container job is gone' }),
  });
});

test('an attempt that counts no longer runs no job again: the one that counts has removed the container', async () => {
  const job = await startOne();
  const resubmit = vi.fn(async () => {});
  const requireAttempt = async () => Promise.reject(new Error('another attempt counts'));
  soon(() => vanish(job));
  await expect(newAttempt().run(follow, job, { resubmit, requireAttempt })).rejects.toThrow('another attempt counts');
  expect(resubmit).not.toHaveBeenCalled();
});

test('a job that was killed is run again only where its input is kept', async () => {
  const job = await startOne();
  const resubmit = vi.fn(async () => {
    await startJob(job.engine, spec, async () => {});
    soon(() => end(job.container(NAME), 0));
  });
  soon(() => kill(job));
  const killed = { exitCode: 137, outOfMemory: false };
  expect(await newAttempt().run(follow, job, { resubmit })).toEqual(killed);
  expect(resubmit).not.toHaveBeenCalled();
  expect(await newAttempt().run(follow, job, { resubmit, repeatKilled: true })).toMatchObject({ exitCode: 0 });
  expect(resubmit).toHaveBeenCalledTimes(1);
});

test('a job that is seen to be killed in the middle of its removal is one that vanished', async () => {
  const job = await startOne();
  const resubmit = async () => {
    await startJob(job.engine, spec, async () => {});
    soon(() => end(job.container(NAME), 0));
  };
  const state = job.engine.state.bind(job.engine);
  job.engine.state = async (handle) => {
    const found = await state(handle);
    if (found?.phase === 'exited' && found.exitCode === 137) await job.engine.remove(handle);
    return found;
  };
  soon(() => kill(job));
  expect(await newAttempt().run(follow, job, { resubmit })).toMatchObject({ exitCode: 0 });
  expect(await textOf(job)).toContain('container job is gone; it is run again');
});

test('a job past its memory is at fault itself, and not run again', async () => {
  const job = await startOne();
  const resubmit = vi.fn(async () => {});
  soon(() => end(job.program, 137, true));
  const exit = await newAttempt().run(follow, job, { resubmit, repeatKilled: true });
  expect(exit).toEqual({ exitCode: 137, outOfMemory: true });
  expect(resubmit).not.toHaveBeenCalled();
});

test('a log that cannot be stored ends the attempt while the job still runs', async () => {
  const objects = createMemoryObjects();
  const job = await startOne({
    ...objects,
    put: async () => {
      throw new SlipwayError('unavailable', 'object storage does not answer');
    },
  });
  print(job.program, 'x'.repeat(300_000));
  await expect(newAttempt().run(follow, job)).rejects.toMatchObject({ code: 'unavailable' });
  expect(job.program.state.phase).toBe('running');
});

test.each([
  ['nothing', undefined],
  ['no JSON', 'oops'],
  ['a list', '[]'],
  ['other types', '{"message":1,"userExitCode":"x","runId":[],"params":7,"metrics":null}'],
])('an outcome that is %s is an empty one', async (_what, text) => {
  const job = await startOne();
  if (text !== undefined) {
    const content = await tarOf([{ name: '.slipway/outcome.json', content: text }]);
    job.program.outputs['/workspace/output/.slipway'] = content;
  }
  expect(await readOutcome(job.engine, job.handle)).toMatchObject({ params: {}, metrics: {} });
});

test('of an outcome that is partly wrong the rest counts', async () => {
  const job = await startOne();
  const outcome = {
    message: 'm',
    userExitCode: 2,
    runId: 'r',
    metrics: { rmse: 0.5, bad: 'x' },
    params: { a: '1', b: 2 },
  };
  job.program.outputs['/workspace/output/.slipway'] = await tarOf([
    { name: '.slipway/outcome.json', content: JSON.stringify(outcome) },
  ]);
  expect(await readOutcome(job.engine, job.handle)).toEqual({ ...outcome, metrics: { rmse: 0.5 }, params: { a: '1' } });
});

test('an outcome that hides behind a hostile archive, or is as large as a disk, is an empty one', async () => {
  const job = await startOne();
  const path = '/workspace/output/.slipway';
  job.program.outputs[path] = await tarOf([
    { name: '.slipway/outcome.json', type: 'symlink', linkname: '/etc/passwd' },
  ]);
  expect(await readOutcome(job.engine, job.handle)).toEqual({ params: {}, metrics: {} });
  const large = JSON.stringify({ message: 'm', params: { a: 'x'.repeat(1_100_000) } });
  job.program.outputs[path] = await tarOf([{ name: '.slipway/outcome.json', content: large }]);
  expect(await readOutcome(job.engine, job.handle)).toEqual({ params: {}, metrics: {} });
});

test('a job whose files pass their limit is stopped, and the failure names limit and setting', async () => {
  const job = await startOne();
  const sizes = [0.5, 1.5];
  const engine = { ...job.engine, diskBytes: async () => (sizes.shift() ?? 2) * 2 ** 30 };
  const ending = newAttempt().run(follow, { ...job, engine }, { diskBytes: 2 ** 30, diskLookMs: 10 });
  await expect(ending).rejects.toMatchObject({
    detail: { reason: 'OutOfStorage' },
    message: 'the files of the container have 1.5 GiB, and may have 1 GiB (SLIPWAY_MAX_JOB_DISK_GIB)',
  });
  expect(job.program.stops).toBe(1);
});

test('an engine that cannot measure the files ends no job', async () => {
  const job = await startOne();
  let looks = 0;
  const diskBytes = async (): Promise<number> => {
    if ((looks += 1) === 3) end(job.program, 0);
    throw new SlipwayError('unavailable', 'the engine is busy');
  };
  const engine = { ...job.engine, diskBytes };
  const limits = { diskBytes: 1, diskLookMs: 0 };
  expect(await newAttempt().run(follow, { ...job, engine }, limits)).toMatchObject({ exitCode: 0 });
});
