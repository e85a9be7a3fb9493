import { afterAll, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import tar from 'tar-stream';
import type { BuildOptions, ImageFacts } from '../../../platform/engines/driver.js';
import { reasonOf, refusalOf } from '../../../platform/engines/refusal.js';
import { eventually, removeMade, run, type Subject } from './harness.js';

const RUN = randomUUID().slice(0, 8);

/** The context of an image build: its Dockerfile, and more files by their names. */
export function contextOf(dockerfile: string, files: Record<string, string> = {}): Readable {
  const archive = tar.pack();
  archive.entry({ name: 'Dockerfile' }, dockerfile);
  for (const [name, text] of Object.entries(files)) archive.entry({ name }, text);
  archive.finalize();
  return Readable.from(archive);
}

export function imageContract(subject: Subject, registry: string): void {
  const { engine, image } = subject;
  const made: string[] = [];
  const own = (name: string): string => {
    made.push(`${registry}/contract-${name}:${RUN}`);
    return `${registry}/contract-${name}:${RUN}`;
  };
  const build = (dockerfile: string, options: Partial<BuildOptions> & { tag: string }, lines: string[] = []) =>
    engine.build(contextOf(dockerfile, { 'model.txt': 'iris' }), { network: 'none', ...options }, (line) =>
      lines.push(line),
    );

  afterAll(async () => {
    // An image in use stays.
    await removeMade(subject);
    // The engine ends a canceled build in its own time, and until then its image is in use too.
    for (const ref of made) {
      await eventually(() =>
        engine.removeImage(ref).then(
          () => true,
          () => undefined,
        ),
      );
    }
  });

  test('an image that no registry has is not there', async () => {
    expect(await engine.inspectImage('slipway.local/none:1')).toBeUndefined();
    await engine.removeImage('slipway.local/none:1');
  });

  test('a build gives an image with its labels and environment that runs', async () => {
    const tag = own('plain');
    const lines: string[] = [];
    const dockerfile = `FROM ${image}\nARG WORD=none\nENV WORD=$WORD\nCOPY model.txt /model.txt\nRUN echo building $WORD\n`;
    const facts = await build(
      dockerfile,
      { tag, labels: { 'dev.slipway.model': 'iris' }, buildArgs: { WORD: RUN } },
      lines,
    );
    expect(facts).toMatchObject({
      id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      labels: { 'dev.slipway.model': 'iris' },
    });
    expect(facts.env).toContain(`WORD=${RUN}`);
    expect(facts.sizeBytes).toBeGreaterThan(0);
    expect(lines.join('\n')).toContain(`building ${RUN}`);
    expect(await engine.inspectImage(tag)).toEqual(facts);
    const base = (await engine.inspectImage(image)) as ImageFacts;
    expect(facts.layers.slice(0, base.layers.length)).toEqual(base.layers);
    expect(facts.layers.length).toBeGreaterThan(base.layers.length);
    expect((await run({ ...subject, image: tag }, 'cat /model.txt; echo; echo $WORD')).lines).toEqual(['iris', RUN]);
  });

  test('of a build in stages only the last is kept', async () => {
    const tag = own('stages');
    const dockerfile = `FROM ${image} AS builder\nRUN mkdir /out && echo built > /out/result && echo secret > /secret\nFROM ${image}\nCOPY --from=builder /out /out\n`;
    await build(dockerfile, { tag });
    expect((await run({ ...subject, image: tag }, 'cat /out/result; ls /secret')).lines[0]).toBe('built');
    expect((await run({ ...subject, image: tag }, 'test ! -e /secret')).end.exitCode).toBe(0);
  });

  test('a build has its loopback alone', async () => {
    const interfaces = 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " " | sort | tr "\\n" ,';
    const lines: string[] = [];
    const step = `echo "${RUN} none:" $(${interfaces}) $(wc -l < /proc/net/route) lines of routes`;
    await build(`FROM ${image}\nRUN ${step}\n`, { tag: own('none') }, lines);
    expect(lines.find((line) => line.startsWith(RUN))).toMatch(/none: lo, [01] lines/);
  });

  test('a step that fails is reported with its last lines', async () => {
    const lines: string[] = [];
    const failure = await build(`FROM ${image}\nRUN echo last words; exit 9\n`, { tag: own('failing') }, lines).catch(
      (err: unknown) => err,
    );
    expect(refusalOf(failure)).toMatchObject({
      reason: 'PackagerFailed',
      logTail: expect.stringContaining('last words'),
    });
    expect(lines.join('\n')).toContain('last words');
  });

  test('a base that cannot be had fails the build', async () => {
    const failure = await build('FROM 127.0.0.1:1/none:1\n', { tag: own('baseless') }).catch((err: unknown) => err);
    expect(reasonOf(failure)).toBe('PackagerFailed');
  });

  test('a build can be called off', async () => {
    const signal = AbortSignal.timeout(1_500);
    const building = build(`FROM ${image}\nRUN sleep 30\n`, { tag: own('canceled'), signal });
    await expect(building).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('a push and a pull that hang can be called off', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const tag = `${host}/contract/hanging:1`;
    made.push(tag);
    await engine.tag(image, tag);
    const soon = () => AbortSignal.timeout(1_000);
    const called = { name: 'TimeoutError' };
    await expect(engine.push(tag, undefined, () => undefined, soon())).rejects.toMatchObject(called);
    await expect(engine.ensureImage(`${host}/contract/other:1`, undefined, soon())).rejects.toMatchObject(called);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('a pushed image has the digest that the registry gives, and can be had back by it', async () => {
    const tag = own('pushed');
    await build(`FROM ${image}\nCOPY model.txt /pushed.txt\nLABEL run=${RUN}\n`, { tag });
    const { digest } = await engine.push(tag, undefined, () => undefined);
    expect(await manifestDigest(registry, tag)).toBe(digest);
    expect((await engine.push(tag, undefined, () => undefined)).digest).toBe(digest);

    const byDigest = tag.replace(/:[^:/]+$/, `@${digest}`);
    await engine.removeImage(tag);
    expect(await engine.inspectImage(byDigest)).toBeUndefined();
    expect((await engine.ensureImage(byDigest)).labels).toMatchObject({ run: RUN });
    expect((await run({ ...subject, image: byDigest }, 'cat /pushed.txt')).lines).toEqual(['iris']);
    // A container has it.
    await expect(engine.removeImage(byDigest)).rejects.toMatchObject({ code: 'run_failed' });
    expect(await engine.inspectImage(byDigest)).toBeDefined();
    await removeMade(subject);
    await engine.removeImage(byDigest);
  });

  test('an image can have another name', async () => {
    const [tag, alias] = [own('named'), own('alias')];
    const { id } = await build(`FROM ${image}\nLABEL a=b\n`, { tag });
    await engine.tag(tag, alias);
    expect((await engine.inspectImage(alias))?.id).toBe(id);
  });

  test('a registry that does not answer may be asked again, one that has no such image not', async () => {
    const tag = '127.0.0.1:1/contract/unreachable:1';
    made.push(tag);
    await engine.tag(image, tag);
    const away = (reason: string) => ({
      ...{ code: 'unavailable', detail: { reason } },
      publicMessage: 'the image registry cannot be used for now: it cannot be reached',
    });
    await expect(engine.push(tag, undefined, () => undefined)).rejects.toMatchObject(away('PushFailed'));
    await expect(engine.ensureImage('127.0.0.1:1/contract/other:1')).rejects.toMatchObject(away('ImagePullFailed'));
    expect(reasonOf(await engine.ensureImage(`${registry}/none:1`).catch((err: unknown) => err))).toBe(
      'ImagePullFailed',
    );
  });
}

async function manifestDigest(registry: string, ref: string): Promise<string | null> {
  const [host = ''] = registry.split('/');
  const [name = '', tag = ''] = ref.slice(host.length + 1).split(':');
  const accept = ['application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.v2+json'];
  const url = `http://${host}/v2/${name}/manifests/${tag}`;
  const answer = await fetch(url, { method: 'HEAD', headers: { accept: accept.join(', ') } });
  return answer.headers.get('docker-content-digest');
}
