import { expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../../../platform/engines/refusal.js';
import { launch, exited, readAll, run, shell, type Subject, release, untilReleased } from './harness.js';

export function lifeContract(subject: Subject): void {
  const { engine, image } = subject;

  test('the same name and spec is the same container, running or ended', async () => {
    const spec = shell(image, 'echo $$ $RANDOM; exit 3');
    expect(await engine.create(spec)).toEqual({ handle: { name: spec.name }, existed: false });
    expect(await engine.create({ ...spec })).toEqual({ handle: { name: spec.name }, existed: true });
    await engine.start(spec);
    const { startedAt } = await exited(subject, spec);
    expect((await engine.create(spec)).existed).toBe(true);
    expect(await engine.state(spec)).toMatchObject({ phase: 'exited', startedAt, exitCode: 3, outOfMemory: false });
  });

  test('the same name with another spec is replaced, even while it runs', async () => {
    const spec = shell(image, 'sleep 60');
    await launch(subject, spec);
    expect((await engine.create({ ...spec, env: { NEW: '1' } })).existed).toBe(false);
    expect(await engine.state(spec)).toEqual({ phase: 'created' });
  });

  test('of two workers that create one name at once, one makes it and both have it', async () => {
    const spec = shell(image, 'true');
    const results = await Promise.all([engine.create(spec), engine.create(spec), engine.create(spec)]);
    expect(results.filter(({ existed }) => !existed)).toHaveLength(1);
  });

  test('a second start changes nothing', async () => {
    const handle = await launch(subject, shell(image, 'sleep 60'));
    const before = await engine.state(handle);
    await engine.start(handle);
    expect(await engine.state(handle)).toEqual(before);
  });

  test('a command that does not exist is a refusal and never an exit with 0', async () => {
    const { handle } = await engine.create({ ...shell(image, ''), command: ['/no/such/program'] });
    const refusal = await engine.start(handle).catch((err: unknown) => err);
    expect(reasonOf(refusal)).toBe('ToolchainFailed');
    expect(await engine.state(handle)).toEqual({ phase: 'created' });
  });

  test('an image that is not there is a refusal of its own', async () => {
    const spec = { ...shell(image, ''), image: 'slipway.local/no-such-image:1' };
    const refusal = await engine.create(spec).catch((err: unknown) => err);
    expect(reasonOf(refusal)).toBe('ImagePullFailed');
    expect(await engine.state(spec)).toBeUndefined();
  });

  test('a wait goes on through a pause and returns the exit code', async () => {
    const handle = await launch(subject, untilReleased(image, 'exit 7'));
    const end = exited(subject, handle);
    await engine.pause(handle);
    await engine.pause(handle);
    expect(await Promise.race([end, sleep(1_000, 'still waiting')])).toBe('still waiting');
    expect((await engine.state(handle))?.phase).toBe('paused');
    await engine.unpause(handle);
    await engine.unpause(handle);
    await release(subject, handle);
    expect(await end).toMatchObject({ exitCode: 7, outOfMemory: false });
  });

  test('a wait before the start waits for the end, and ends without a container', async () => {
    const { handle } = await engine.create(shell(image, 'exit 4'));
    const end = exited(subject, handle);
    await sleep(300);
    await engine.start(handle);
    expect((await end).exitCode).toBe(4);
    await engine.remove(handle);
    expect(await engine.wait(handle, AbortSignal.timeout(60_000))).toBeUndefined();
  });

  test('a wait rejects with the reason of its signal', async () => {
    const handle = await launch(subject, shell(image, 'sleep 60'));
    const waiting = new AbortController();
    const end = engine.wait(handle, waiting.signal);
    setTimeout(() => waiting.abort(new Error('worker shuts down')), 200);
    await expect(end).rejects.toThrow('worker shuts down');
    expect((await engine.state(handle))?.phase).toBe('running');
  });

  test('stop asks first and kills after the grace', async () => {
    const polite = await launch(subject, shell(image, 'trap "exit 5" TERM; echo up; while :; do sleep 0.05; done'));
    const deaf = await launch(subject, shell(image, 'trap "" TERM; echo up; while :; do sleep 0.05; done'));
    for (const handle of [polite, deaf]) {
      for await (const _ of engine.logs(handle, { follow: true })) break;
    }
    await Promise.all([engine.stop(polite, 60_000), engine.stop(deaf, 1_000)]);
    expect(await engine.state(polite)).toMatchObject({ phase: 'exited', exitCode: 5 });
    expect(await engine.state(deaf)).toMatchObject({ phase: 'exited', exitCode: 137, outOfMemory: false });
    await engine.stop(polite, 1_000);
  });

  test('a paused container can be stopped, and one removed', async () => {
    const [stopped, removed] = [shell(image, 'sleep 60'), shell(image, 'sleep 60')];
    for (const spec of [stopped, removed]) await engine.pause(await launch(subject, spec));
    await engine.stop(stopped, 0);
    expect((await engine.state(stopped))?.phase).toBe('exited');
    await engine.remove(removed);
    expect(await engine.state(removed)).toBeUndefined();
  });

  test('what is absent is removed and stopped already', async () => {
    const absent = { name: 'slipway-contract-absent' };
    await engine.remove(absent);
    await engine.stop(absent, 1_000);
    await engine.pause(absent);
    await engine.unpause(absent);
    expect(await engine.state(absent)).toBeUndefined();
    expect(await engine.stats(absent)).toBeUndefined();
    expect(await readAll(engine.logs(absent, { follow: true }))).toEqual([]);
  });

  test('find goes by labels and says what runs', async () => {
    const labels = { kind: 'contract', id: `find-${process.pid}`, part: 'r0' };
    const running = await launch(subject, shell(image, 'sleep 60', { labels }));
    const { handle: idle } = await engine.create(shell(image, 'true', { labels: { ...labels, part: 'r1' } }));
    const byName = new Map((await engine.find({ id: labels.id })).map((found) => [found.name, found]));
    expect([...byName.keys()].sort()).toEqual([running.name, idle.name].sort());
    expect(byName.get(running.name)).toMatchObject({ running: true, labels });
    expect(byName.get(idle.name)).toMatchObject({ running: false, labels: { part: 'r1' } });
    expect(await engine.find({ id: labels.id, part: 'r1' })).toHaveLength(1);
  });

  test('exec gives the exit code and both streams, and gives up in time', async () => {
    const handle = await launch(subject, shell(image, 'sleep 60'));
    const { exitCode, output } = await engine.exec(handle, ['sh', '-c', 'echo out; echo err >&2; exit 4'], {
      timeoutMs: 60_000,
    });
    expect({ exitCode, words: output.split('\n').sort() }).toEqual({ exitCode: 4, words: ['', 'err', 'out'] });
    const slow = await engine.exec(handle, ['sleep', '30'], { timeoutMs: 500 }).catch((err: unknown) => err);
    expect(reasonOf(slow)).toBe('Timeout');
    const signal = AbortSignal.abort(new Error('the caller waits no longer'));
    const canceled = engine.exec(handle, ['sleep', '30'], { timeoutMs: 60_000, signal });
    await expect(canceled).rejects.toThrow('the caller waits no longer');
  });

  test('environment and folder are the ones of the spec', async () => {
    const { lines } = await run(subject, 'echo "$WORD"; pwd', { env: { WORD: 'a=b c' }, workingDir: '/usr' });
    expect(lines).toEqual(['a=b c', '/usr']);
  });
}
