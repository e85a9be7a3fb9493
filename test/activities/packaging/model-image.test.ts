import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { assembleModelImage } from '../../../activities/packaging/model-image.js';
import { restSettings } from '../../../activities/packaging/model-assembly.js';
import { withScratchFolder } from '../../../activities/training/workspace.js';
import { variablesOf } from '../../../platform/registry/image.js';
import { entriesOf, startMemoryRegistry } from '../../platform/registry/memory-registry.js';

test('the model is one layer, owned by the user of containers; settings and labels say what it is', () =>
  withScratchFolder(async (scratch) => {
    const registry = await startMemoryRegistry();
    onTestFinished(() => registry.stop());
    const folder = join(scratch, 'model');
    await mkdir(join(folder, 'wine'), { recursive: true });
    await writeFile(join(folder, 'wine', 'model.skops'), 'trees');
    const base = await registry.addImage('bases', 'python');
    const image = await assembleModelImage({
      model: { name: 'wine', version: '$1', sha256: 'f00' },
      layer: { folder, path: 'app/model' },
      environment: await registry.addImage('environments', '1', {}, 'environment'),
      target: registry.open('models/wine'),
      serving: restSettings({ host: '0.0.0.0', port: 5_000, timeout: 60, workers: 2, threads: 4 }),
      base: { reference: 'python:3.11', image: base, ensure: async () => '' },
      ...{ packagingId: 'p', scratch, signal: new AbortController().signal },
    });

    const entries = await entriesOf(image, 1);
    expect(Object.keys(entries)).toEqual(['app/model/', 'app/model/wine/', 'app/model/wine/model.skops']);
    expect(entries['app/model/wine/model.skops']).toMatchObject({
      ...{ uid: 10_001, gid: 10_001, uname: '', mode: 0o644, mtime: new Date(0) },
    });
    expect(variablesOf(image)).toMatchObject({
      ...{ MODEL_NAME: 'wine', MODEL_VERSION: '$1' },
      ...{ HOST: '0.0.0.0', PORT: '5000', WORKERS: '2', THREADS: '4' },
    });
    expect(image.config.config?.Labels).toMatchObject({
      'org.opencontainers.image.base.name': 'python:3.11',
      'org.opencontainers.image.base.digest': base.manifest.digest,
      'dev.slipway.artifact.sha256': 'f00',
      'dev.slipway.concurrency': '8',
    });
  }));
