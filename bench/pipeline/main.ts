import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { QUEUES } from '../../platform/kinds/queues.js';
import { findBinary } from '../../stack/binaries.js';
import { defaultCacheDir } from '../../stack/stack.js';
import { readTemporalDeclaration } from '../../stack/temporal-declaration.js';
import { workflowBundle } from '../../workers/compose/bundle.js';
import { startServer } from '../orchestration/server.js';
import { median, writeResult } from '../report.js';
import { NO_OP } from './activities.js';

const ROUNDS = 7;

/** One run by the server's own time stamps, in milliseconds. */
interface Round {
  total: number;
  /** Between the end of the activity before and the end of this one, or of the child. */
  steps: Record<string, number>;
}

Runtime.install({ logger: new DefaultLogger('WARN') });
const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
try {
  const { address, stop } = await openServer();
  const rounds = await measure(address).finally(stop);
  const names = Object.keys(rounds[0]?.steps ?? {});
  for (const name of names) {
    console.log(
      `${name.padEnd(28)} ${median(rounds.map(({ steps }) => steps[name] ?? NaN))
        .toFixed(0)
        .padStart(5)} ms`,
    );
  }
  const total = median(rounds.map((round) => round.total));
  console.log(`${'the whole run'.padEnd(28)} ${total.toFixed(0).padStart(5)} ms (median of ${ROUNDS}; bar 1,500)`);
  await writeResult('pipeline', { unit: 'ms', total, rounds });
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit();

/** The server that TEMPORAL_ADDRESS names, or one with the settings of the embedded stack. */
async function openServer(): Promise<{ address: string; stop: () => Promise<void> }> {
  const { TEMPORAL_ADDRESS: configured } = process.env;
  if (configured !== undefined) return { address: configured, stop: async () => {} };
  const cacheDir = resolve(defaultCacheDir(process.env));
  const context = { stateDir: folder, cacheDir, environment: process.env, found: {}, ports: {} as never };
  const tools = { signal: new AbortController().signal, say: (text: string) => console.error(text) };
  const binary = await findBinary('temporal', context, tools);
  const { dynamicConfiguration, sqlitePragmas, searchAttributes } = readTemporalDeclaration();
  const flags = (name: string, values: Record<string, unknown>): string[] =>
    Object.entries(values).flatMap(([key, value]) => [
      name,
      `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ]);
  return startServer(binary, folder, [
    ...flags('--dynamic-config-value', dynamicConfiguration),
    ...flags('--sqlite-pragma', sqlitePragmas),
    ...flags('--search-attribute', searchAttributes),
  ]);
}

async function measure(address: string): Promise<Round[]> {
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection: await Connection.connect({ address }) });
  const codePath = await workflowBundle(folder);
  const queues = Object.entries(QUEUES).filter(([queue]) => queue !== 'notification');
  const workers = await Promise.all(
    queues.map(([taskQueue, { workflows }]) =>
      Worker.create({ connection, taskQueue, activities: NO_OP, ...(workflows && { workflowBundle: { codePath } }) }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  try {
    const rounds: Round[] = [];
    // The first round warms the workers up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const measured = await runOnce(client, `bench-${Date.now()}-${round}`);
      if (round > 0) rounds.push(measured);
    }
    return rounds;
  } finally {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
    await client.connection.close();
  }
}

async function runOnce(client: Client, id: string): Promise<Round> {
  const args: [object] = [{ id, uid: 'uid', generation: 1 }];
  const handle = await client.workflow.start('pipeline', { workflowId: `run/${id}`, taskQueue: 'control', args });
  await handle.result();
  const { events } = await handle.fetchHistory();
  const steps: Record<string, number> = {};
  const names = new Map<string, string>();
  const timeOf = (at: (typeof events & object)[number]['eventTime']): number =>
    Number(at?.seconds) * 1_000 + (at?.nanos ?? 0) / 1e6;
  const [first] = events ?? [];
  let before = timeOf(first?.eventTime);
  for (const event of events ?? []) {
    const { activityTaskScheduledEventAttributes: scheduled, activityTaskCompletedEventAttributes: completed } = event;
    if (scheduled) names.set(String(event.eventId), scheduled.activityType?.name ?? '');
    const child = event.childWorkflowExecutionCompletedEventAttributes?.workflowType?.name;
    const name = completed ? names.get(String(completed.scheduledEventId)) : child && `child ${child}`;
    if (name === undefined || name === null) continue;
    steps[name] = timeOf(event.eventTime) - before;
    before = timeOf(event.eventTime);
  }
  return { total: timeOf(events?.at(-1)?.eventTime) - timeOf(first?.eventTime), steps };
}
