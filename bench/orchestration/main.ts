import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker, type WorkflowBundle } from '@temporalio/worker';
import { findBinary } from '../../stack/binaries.js';
import { defaultCacheDir } from '../../stack/stack.js';
import { readTemporalDeclaration } from '../../stack/temporal-declaration.js';
import { median, writeResult } from '../report.js';
import * as activities from './activities.js';
import { startServer } from './server.js';

const STEPS = 40;
const ROUNDS = 5;

/** Milliseconds per activity, by the server's own time stamps: first activity scheduled to last one completed. */
async function measure(address: string, workflowBundle: WorkflowBundle): Promise<number[]> {
  const connection = await NativeConnection.connect({ address });
  const clientConnection = await Connection.connect({ address });
  const worker = await Worker.create({ connection, taskQueue: 'bench', workflowBundle, activities });
  const client = new Client({ connection: clientConnection });
  try {
    return await worker.runUntil(async () => {
      const rounds: number[] = [];
      for (let round = 0; round <= ROUNDS; round += 1) {
        const handle = await client.workflow.start('sequence', {
          workflowId: `bench-${round}`,
          taskQueue: 'bench',
          args: [STEPS],
        });
        await handle.result();
        const { events } = await handle.fetchHistory();
        const times = (events ?? []).flatMap(({ eventTime, ...event }) =>
          event.activityTaskScheduledEventAttributes || event.activityTaskCompletedEventAttributes
            ? [Number(eventTime?.seconds) * 1_000 + (eventTime?.nanos ?? 0) / 1e6]
            : [],
        );
        // The first round warms the worker up.
        if (round > 0) rounds.push(((times.at(-1) ?? 0) - (times[0] ?? 0)) / STEPS);
      }
      return rounds;
    });
  } finally {
    await connection.close();
    await clientConnection.close();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
try {
  const context = {
    stateDir: folder,
    cacheDir: resolve(defaultCacheDir(process.env)),
    environment: process.env,
    found: {},
  };
  const tools = { signal: new AbortController().signal, say: (text: string) => console.error(text) };
  const binary = await findBinary('temporal', { ...context, ports: {} as never }, tools);
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: join(import.meta.dirname, 'workflows.ts') });
  const { dynamicConfiguration, sqlitePragmas } = readTemporalDeclaration();
  const flags = (name: string, values: Record<string, unknown>): string[] =>
    Object.entries(values).flatMap(([key, value]) => [
      name,
      `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ]);
  const variants = {
    stock: [],
    tuned: [...flags('--dynamic-config-value', dynamicConfiguration), ...flags('--sqlite-pragma', sqlitePragmas)],
  };
  const result: Record<string, { median: number; rounds: number[] }> = {};
  for (const [name, args] of Object.entries(variants)) {
    const own = await mkdtemp(join(folder, `${name}-`));
    const server = await startServer(binary, own, args);
    try {
      const rounds = await measure(server.address, workflowBundle);
      result[name] = { median: median(rounds), rounds };
      console.log(
        `${name.padEnd(6)} ${median(rounds).toFixed(1)} ms per activity (median of ${ROUNDS} x ${STEPS}): ${rounds.map((ms) => ms.toFixed(1)).join(' ')}`,
      );
    } finally {
      await server.stop();
    }
  }
  const ratio = (result.stock?.median ?? NaN) / (result.tuned?.median ?? NaN);
  console.log(`ratio  ${ratio.toFixed(2)} (stock / tuned)`);
  await writeResult('orchestration', { steps: STEPS, unit: 'ms per activity', ...result, ratio });
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit();
