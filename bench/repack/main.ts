import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Entity, fetchToken } from '../../examples/wine/demo/client.js';
import { createRepository } from '../../examples/wine/demo/repository.js';
import { openPlatformBucket } from '../../workers/compose/bucket.js';
import { startPlatform } from '../../workers/compose/platform.js';
import { createTemporalClient } from '../../workers/compose/temporal.js';
import { median, writeResult } from '../report.js';
import { type Phases, readPhases } from './phases.js';
import { readBlobs } from './registry.js';

const ROUNDS = 5;
const BARS = { seconds: 2, bytesBeyondModel: 64 * 1_000 };

const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
const environment = { ...process.env, SLIPWAY_LOCAL_REPOSITORIES: folder };
const platform = await startPlatform({ environment, report: (line) => console.error(line) });
const run = `repack-${Date.now().toString(36)}`;
try {
  const { settings } = platform;
  const token = await fetchToken(settings.OIDC_ISSUER, 'demo-admin', 'demo-admin-secret');
  const client = createClient({ baseUrl: settings.SLIPWAY_BASE_URL, token });
  const objects = openPlatformBucket(settings);
  const temporal = createTemporalClient(settings);
  await createRepository(join(folder, 'code'));
  await client.create('/connection', run, { type: 'git', uri: join(folder, 'code') });

  const startSeconds: number[] = [];
  const train = async (index: number): Promise<string> => {
    const id = `${run}-${index}`;
    await client.create('/model/training', id, {
      model: { name: run, version: `${index}` },
      toolchain: 'ml-toolchain',
      workDir: 'wine',
      algorithmSource: { vcs: { connection: run } },
      hyperParameters: { alpha: `0.0${index + 1}` },
    });
    const trained = (await client.wait('/model/training', id)) as Entity & {
      createdAt: string;
      status: { startedAt: string };
    };
    startSeconds.push((Date.parse(trained.status.startedAt) - Date.parse(trained.createdAt)) / 1_000);
    return trained.status.artifactName ?? '';
  };
  const pack = async (index: number, artifactName: string) => {
    const id = `${run}-${index}`;
    const targets = [{ name: 'container-push', connectionName: 'docker-ci' }];
    await client.create('/model/packaging', id, { artifactName, integrationName: 'container-rest', targets });
    const packed = (await client.wait('/model/packaging', id)) as Entity & {
      createdAt: string;
      status: { finishedAt: string };
    };
    const seconds = (Date.parse(packed.status.finishedAt) - Date.parse(packed.createdAt)) / 1_000;
    const image = packed.status.results?.[0]?.value ?? '';
    const log = await client.text(`/api/v1/model/packaging/${id}/log`);
    const phases = await readPhases(temporal, { id, createdAt: packed.createdAt, log });
    const modelBytes = (await objects.head(artifactName))?.sizeBytes ?? 0;
    return { seconds, blobs: await readBlobs(image), modelBytes, phases };
  };

  const known = new Set<string>();
  const rounds: { seconds: number; pushedBytes: number; modelBytes: number; load: number; phases: Phases }[] = [];
  for (let index = 0; index <= ROUNDS; index += 1) {
    const artifactName = await train(index);
    const [load = 0] = loadavg();
    const { seconds, blobs, modelBytes, phases } = await pack(index, artifactName);
    const pushedBytes = blobs.filter(({ digest }) => !known.has(digest)).reduce((sum, { size }) => sum + size, 0);
    for (const { digest } of blobs) known.add(digest);
    const title = index === 0 ? 'first packaging' : `changed model ${index}`;
    console.log(
      `${title.padEnd(16)} ${seconds.toFixed(2).padStart(8)} s  ${pushedBytes} bytes pushed, model ${modelBytes} bytes, load ${load.toFixed(1)}`,
    );
    if (index > 0) rounds.push({ seconds, pushedBytes, modelBytes, load, phases });
  }
  const seconds = median(rounds.map((round) => round.seconds));
  const beyond = Math.max(...rounds.map(({ pushedBytes, modelBytes }) => pushedBytes - modelBytes));
  console.log(
    `median ${seconds.toFixed(2)} s (bar <= ${BARS.seconds} s), at most ${beyond} bytes beyond the model (bar <= ${BARS.bytesBeyondModel})`,
  );
  // The first one installs its packages.
  const trainingStartSeconds = median(startSeconds.slice(1));
  console.log(`training, from its creation to the start of its program: ${trainingStartSeconds.toFixed(2)} s`);
  const names = Object.keys(rounds[0]?.phases ?? {});
  const phases = Object.fromEntries(
    names.map((name) => [name, median(rounds.map((round) => round.phases[name] ?? 0))]),
  );
  console.log('\n| phase | median |\n|---|---|');
  for (const [name, spent] of Object.entries(phases)) console.log(`| ${name} | ${spent.toFixed(2)} s |`);
  await writeResult('repack', {
    bars: BARS,
    medianSeconds: seconds,
    bytesBeyondModel: beyond,
    trainingStartSeconds,
    phases,
    rounds,
  });
} finally {
  await platform.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();
