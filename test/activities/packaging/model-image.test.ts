import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { assignments } from '../../../activities/packaging/dockerfile.js';
import { ARTIFACT_FOLDER, buildModelImage } from '../../../activities/packaging/model-image.js';
import { unpackInto } from '../../../activities/shared/unpack.js';
import { withScratchFolder } from '../../../activities/training/workspace.js';
import { createMemoryEngine } from '../shared/memory-engine.js';

test.each([
  ['plain', '"plain"'],
  ['two words', '"two words"'],
  ['$HOME and ${HOME}', '"\\$HOME and \\${HOME}"'],
  ['a "b" \\ c', '"a \\"b\\" \\\\ c"'],
  ['1\nRUN touch /owned', '"1 RUN touch /owned"'],
])('a value of a Dockerfile stays what it is: %j', (value, written) => {
  expect(assignments({ A: value, B: 'b' })).toBe(`A=${written} B="b"`);
});

test('the model is one layer, whose every path the context gives; settings and labels are one instruction each', () =>
  withScratchFolder(async (scratch) => {
    const context = join(scratch, 'context');
    const folder = join(context, ARTIFACT_FOLDER);
    await mkdir(join(folder, 'wine'), { recursive: true });
    await writeFile(join(folder, 'wine', 'model.skops'), 'trees');
    const { engine, builds } = createMemoryEngine();
    await buildModelImage(engine, {
      artifact: {
        folder,
        name: 'wine',
        version: '$1',
        workDir: './wine',
        entrypoint: 'entrypoint',
        lock: [],
        sha256: 'f00',
      },
      environment: 'slipway.local/serving:1',
      image: 'registry/wine:1',
      serving: { host: '0.0.0.0', port: 5_000, timeout: 60, workers: 2, threads: 4 },
      base: { image: 'python:3.11', id: 'sha256:1' },
      packagingId: 'p',
      context,
      log: () => undefined,
      signal: new AbortController().signal,
    });

    const [build] = builds;
    expect(build).toMatchObject({ tag: 'registry/wine:1', network: 'none', oneStage: true });
    const sent = join(scratch, 'sent');
    await unpackInto(Readable.from([build?.context]), sent);
    const lines = (await readFile(join(sent, 'Dockerfile'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['FROM', 'COPY', 'ENV', 'LABEL']);
    expect(lines.slice(0, 2)).toEqual(['FROM slipway.local/serving:1', 'COPY layer/ /']);
    expect(lines[2]).toContain('MODEL_LOCATION="/app/model/wine"');
    expect(lines[2]).toContain('MODEL_VERSION="\\$1"');
    expect(lines[3]).toContain('dev.slipway.artifact.sha256="f00"');
    expect(lines[3]).toContain('dev.slipway.concurrency="8"');
    expect((await readdir(join(sent, 'layer'), { recursive: true })).sort()).toEqual([
      'app',
      'app/model',
      'app/model/wine',
      'app/model/wine/model.skops',
    ]);
  }));
