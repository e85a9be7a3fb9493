import { expect, test } from 'vitest';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import tar from 'tar-stream';
import { reasonOf } from '../../../platform/engines/refusal.js';
import type { Handle } from '../../../platform/engines/driver.js';
import { exited, readAll, shell, type Subject } from './harness.js';

type Files = Record<string, string>;

function pack(files: Files): Readable {
  const archive = tar.pack();
  archive.entry({ name: '.', type: 'directory', mode: 0o755, uid: 10_001, gid: 0 });
  for (const [name, text] of Object.entries(files)) archive.entry({ name, uid: 10_001, gid: 0 }, text);
  archive.finalize();
  return Readable.from(archive);
}

async function unpack(archive: Readable): Promise<Files> {
  const files: Files = {};
  const entries = archive.pipe(tar.extract());
  for await (const entry of entries) {
    if (entry.header.type === 'file') files[entry.header.name] = (await buffer(entry)).toString();
    else entry.resume();
  }
  return files;
}

export function archiveContract(subject: Subject): void {
  const { engine, image } = subject;

  async function created(script: string): Promise<Handle> {
    return (await engine.create(shell(image, script, { volumes: ['/workspace'] }))).handle;
  }

  test('files go in before the start, belong to the user and come out after the end', async () => {
    const handle = await created('cat /workspace/in.txt && tr a-z A-Z < /workspace/in.txt > /workspace/out.txt');
    await engine.putArchive(handle, '/workspace', pack({ 'in.txt': 'iris' }));
    await engine.start(handle);
    expect((await exited(subject, handle)).exitCode).toBe(0);
    expect(await unpack(await engine.getArchive(handle, '/workspace/out.txt'))).toEqual({ 'out.txt': 'IRIS' });
  });

  test('a missing folder is made, and the user may write into it', async () => {
    const handle = await created('cat /workspace/a/b/c/f; echo more > /workspace/a/b/g && echo /workspace/a/b/*');
    await engine.putArchive(handle, '/workspace/a/b/c/', await buffer(pack({ f: 'deep\n' })));
    await engine.start(handle);
    await exited(subject, handle);
    const lines = await readAll(engine.logs(handle, { follow: false }));
    expect(lines.map(({ text }) => text)).toEqual(['deep', '/workspace/a/b/c /workspace/a/b/g']);
  });

  test('an archive may be put again, and into a running container', async () => {
    const handle = await created('while ! grep new /workspace/f; do sleep 0.05; done');
    await engine.putArchive(handle, '/workspace', pack({ f: 'old\n' }));
    await engine.start(handle);
    await engine.putArchive(handle, '/workspace', pack({ f: 'new\n' }));
    expect((await exited(subject, handle)).exitCode).toBe(0);
  });

  test('outside the volumes nothing can be put', async () => {
    const handle = await created('true');
    for (const path of ['/', '/usr', '/workspace/../usr', '/workspaces']) {
      const refusal = await engine.putArchive(handle, path, pack({ f: 'x' })).catch((err: unknown) => err);
      expect(reasonOf(refusal)).toBe('Internal');
    }
  });

  test('what is no tar is refused', async () => {
    const handle = await created('true');
    const refusal = await engine.putArchive(handle, '/workspace', Buffer.alloc(2_048, 7)).catch((err: unknown) => err);
    expect(reasonOf(refusal)).toBeDefined();
  });

  test('a missing path is distinguished from an engine that fails', async () => {
    const handle = await created('true');
    const refusal = await engine.getArchive(handle, '/workspace/none').catch((err: unknown) => err);
    expect(reasonOf(refusal)).toBe('ArtifactNotFound');
  });
}
