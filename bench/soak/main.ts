import { setTimeout as sleep } from 'node:timers/promises';
import { parseSettings } from '../../config.js';
import { createTemporalClient } from '../../workers/compose/temporal.js';
import { startTestStack, stopTestStack } from '../../test/stack/test-stack.js';
import { startTestPlatform, type TestPlatform } from '../../test/e2e/platform.js';
import { PAUSING_MODEL, pipelinesOf, PIPELINES, pipelineSpec } from '../../test/e2e/pipeline-projects.js';
import { createProject } from '../../test/e2e/projects.js';
import { until } from '../../test/e2e/until.js';
import { writeResult } from '../report.js';
import { compressSchedules, countersOf } from './schedules.js';
import { judge, readRuns } from './turns.js';
import { watchMemory } from './memory.js';

const COUNT = 50;
/**
 * Cron knows nothing shorter than a minute: with less, the schedules are given intervals. `spread`: the part of an
 * interval over which the starts are spread; 0 is all at once.
 */
const [minutes = 10, everySeconds = 60, spread = 0.75] = process.argv.slice(2).map(Number);

Object.assign(process.env, await startTestStack());
const platform = await startTestPlatform({ SLIPWAY_SWEEP_SECONDS: '60', SLIPWAY_RECORD_SECONDS: '60' });
const client = createTemporalClient(parseSettings(platform.environment));
try {
  await soak();
} finally {
  await client.connection.close();
  await platform.stop();
  await stopTestStack();
}
process.exit();

async function soak(): Promise<void> {
  const ids = await createPipelines(platform);
  if (everySeconds !== 60) await compressSchedules(client, ids, { everySeconds, spread });
  // From the first turn that every schedule takes part in, to the last one before they are paused.
  const everyMs = everySeconds * 1_000;
  const begin = Math.ceil((Date.now() + 2_000) / everyMs) * everyMs;
  const end = begin + Math.floor((minutes * 60_000) / everyMs) * everyMs;
  await sleep(begin - Date.now());
  const memory = watchMemory(platform.processes.worker);
  await sleep(end + everyMs * spread + 1_000 - Date.now());
  const rss = memory.stop();

  const admin = await platform.login('admin'); // tokens do not last so long
  for (const id of ids) await admin.call('POST', `${PIPELINES}/${id}/schedule/pause`, { note: 'the soak is over' });
  const settled = async () => (await readRuns(admin, ids)).every(({ isOver }) => isOver);
  const allEnded = await until('every run to end', settled, { seconds: 120, pollMs: 5_000 }).catch(() => false);
  const verdict = judge(await readRuns(admin, ids), { ids, begin, end, everyMs });
  const counters = await countersOf(client, ids);
  const figures = {
    pipelines: COUNT,
    minutes,
    everySeconds,
    spread,
    allEnded,
    ...verdict,
    ...counters,
    workerRssMiB: rss,
  };
  console.log(JSON.stringify(figures, null, 2));
  await writeResult('soak', figures);
}

/** Pipelines that end with the artifact. The first one trains it; the others find that they need not. */
async function createPipelines({ admin, newId }: TestPlatform): Promise<string[]> {
  const code = await createProject(platform, PAUSING_MODEL);
  const ids = Array.from({ length: COUNT }, () => newId('soak'));
  const { start, untilOver } = pipelinesOf(platform);
  const spec = {
    ...pipelineSpec('soak', code),
    packaging: {},
    deployment: {},
    gates: { metrics: [{ metric: 'answer', max: 1 }] },
  };
  const first = newId('first');
  await admin.create('/model/pipeline', first, spec);
  await start(first);
  const { status } = await untilOver(first, 1);
  if (status.state !== 'succeeded') throw new Error(`the first run failed: ${status.message}`);
  const triggers = { schedule: { cron: '* * * * *', jitterSeconds: 60 * spread } };
  for (const id of ids) await admin.create('/model/pipeline', id, { ...spec, triggers });
  return ids;
}
