import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { BaseImage } from '../../../activities/packaging/base-image.js';
import { comparePackages } from '../../../activities/packaging/packages.js';
import { ensureServingEnvironment } from '../../../activities/packaging/serving-environment.js';
import { createMemoryEngine } from '../shared/memory-engine.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});
const BASE: BaseImage = { image: 'python:3.11', id: 'sha256:b', python: '3.11', packages: { numpy: '1.26.4' } };

async function open() {
  const server = await mkdtemp(join(tmpdir(), 'server-'));
  folders.push(server);
  await writeFile(join(server, 'app.py'), 'print("a")');
  await writeFile(join(server, 'requirements.txt'), 'flask\n');
  const { engine, builds, images } = createMemoryEngine();
  const ensure = (lock: string[] = [], base = BASE) =>
    ensureServingEnvironment(engine, {
      ...{ base, difference: comparePackages(lock, base.packages), builderImage: 'uv:1', server },
      ...{ log: () => {}, signal: new AbortController().signal },
    });
  return { ensure, builds, server, built: (tag: string) => images.set(tag, {} as never) };
}

test('what is built once is found by its tag', async () => {
  const { ensure, builds, built } = await open();
  const tag = await ensure(['pandas==2.0.0']);
  built(tag);
  expect(await ensure(['pandas==2.0.0'])).toBe(tag);
  expect(builds.map((each) => each.tag)).toEqual([tag]);
  expect(builds[0]?.context.length).toBeGreaterThan(0);
});

test('packages that the base has do not matter; their order does not either', async () => {
  const { ensure } = await open();
  expect(await ensure(['numpy==1.26.4'])).toBe(await ensure([]));
  expect(await ensure(['b==1', 'a==1'])).toBe(await ensure(['a==1', 'b==1']));
});

test('another lock, base or model server is another environment', async () => {
  const { ensure, server } = await open();
  const tags = [
    await ensure(),
    await ensure(['numpy==1.26.5']),
    await ensure(['pandas==2.0.0']),
    await ensure([], { ...BASE, id: 'sha256:c' }),
  ];
  await writeFile(join(server, 'app.py'), 'print("b")');
  tags.push(await ensure());
  await mkdir(join(server, 'more'));
  await writeFile(join(server, 'more', 'part.py'), '');
  tags.push(await ensure());
  expect(new Set(tags).size).toBe(tags.length);
});

test('files that are no part of the program change nothing', async () => {
  const { ensure, server } = await open();
  const tag = await ensure();
  await mkdir(join(server, '__pycache__'));
  await writeFile(join(server, '__pycache__', 'app.pyc'), 'bytecode');
  expect(await ensure()).toBe(tag);
});
