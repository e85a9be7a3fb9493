import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, fetchToken } from '../../examples/wine/demo/client.js';
import { findFreePortBase } from '../../stack/ports.js';
import { resetStack, stackStatus } from '../../stack/stack.js';
import { startPlatform } from '../../workers/compose/platform.js';
import { startProgram } from '../start-program.js';

export const DATASET = 'words';
const ARRIVE_MS = 60_000;

export const report = (line: string): void => console.error(line);

/** The arrivals since the last look, in milliseconds from their commit, and the number of requests that met a fault. */
interface Taken {
  ages: number[];
  troubled: number;
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** A platform of its own with a dataset, and receivers whose behaviour the path of an address names. */
export async function openScene() {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  const stateDir = join(folder, 'state');
  const environment = {
    ...process.env,
    ...{ SLIPWAY_STATE_DIR: stateDir, SLIPWAY_PORT_BASE: String(await findFreePortBase()) },
    SLIPWAY_WEBHOOK_PRIVATE: 'true',
  };
  const platform = await startPlatform({ environment, report });
  const receivers: Awaited<ReturnType<typeof startProgram>>[] = [];
  const { settings } = platform;
  const token = await fetchToken(settings.OIDC_ISSUER, 'demo-admin', 'demo-admin-secret');
  const client = createClient({ baseUrl: settings.SLIPWAY_BASE_URL, token });
  const declare = async (dataset: string): Promise<void> => {
    const spec = { fields: { word: { type: 'text' } }, allow_blind_put: true };
    await client.call('PUT', `/v2/datasets/${dataset}`, { kind: 'Dataset', id: dataset, spec });
  };
  await declare(DATASET);
  let written = 0;

  return {
    platform,
    client,
    declare,
    async startReceiver() {
      const receiver = await startProgram(new URL('trouble-receiver.ts', import.meta.url));
      receivers.push(receiver);
      const [{ url }] = (await once(receiver, 'message')) as [{ url: string }];
      return {
        url,
        take: async (): Promise<Taken> => {
          receiver.send('take');
          return ((await once(receiver, 'message')) as [Taken])[0];
        },
      };
    },
    subscribe: async (name: string, url: string, dataset = DATASET): Promise<string> => {
      const body = { name, url, types: [`dataset.${dataset}.*`] };
      return (await client.call<{ id: string }>('POST', '/v2/subscriptions', body)).body.id;
    },
    write: async (dataset = DATASET): Promise<void> => {
      written += 1;
      await client.call('PUT', `/v2/${dataset}/${(written % 500) + 1}`, { word: `w${written}` });
    },
    pids: async (): Promise<Record<string, number>> => {
      const { worker } = platform.processes;
      const services = (await stackStatus({ stateDir })).map(({ name, pid }) => [name, pid] as const);
      return Object.fromEntries(
        [['worker', worker.pid] as const, ...services].flatMap(([name, pid]) =>
          pid === undefined ? [] : [[name, pid]],
        ),
      );
    },
    async close() {
      for (const receiver of receivers) receiver.kill();
      await platform.stop();
      await resetStack({ stateDir, report });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Load {
  perSecond: number;
  seconds: number;
  /** Subscriptions that receive each write. */
  good: number;
}

/** Writes at a steady pace, and waits until each has arrived at every good subscription. */
export async function measure(
  { write }: { write: () => Promise<void> },
  { take }: { take: () => Promise<Taken> },
  { perSecond, seconds, good }: Load,
): Promise<Taken> {
  const began = Date.now();
  const wanted = perSecond * seconds;
  for (let n = 0; n < wanted; n += 1) {
    await sleep(Math.max(0, began + (n * 1_000) / perSecond - Date.now()));
    await write();
  }
  const all: Taken = { ages: [], troubled: 0 };
  for (const deadline = Date.now() + ARRIVE_MS; all.ages.length < wanted * good && Date.now() < deadline;) {
    await sleep(100);
    const { ages, troubled } = await take();
    all.ages.push(...ages);
    all.troubled += troubled;
  }
  if (all.ages.length !== wanted * good) throw new Error(`${all.ages.length} of ${wanted * good} notices came`);
  return all;
}

/** Returns the smallest value that a share of all does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
}
