import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../chaos/faults.js';
import { createClient, fetchToken } from '../../examples/wine/demo/client.js';
import { findFreePortBase } from '../../stack/ports.js';
import { resetStack } from '../../stack/stack.js';
import { startPlatform } from '../../workers/platform.js';
import { writeResult } from '../report.js';

// Five good subscriptions to one dataset, alone and then beside troubled ones: what others wait, in one run.
const GOOD = 5;
const TROUBLE: readonly Fault[] = ['hang', 'drip', 'reset', 'garbage'];
const PACE = { perSecond: 8, seconds: 30 };

const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
const stateDir = join(folder, 'state');
const report = (line: string): void => console.error(line);
const environment = {
  ...process.env,
  ...{ SLIPWAY_STATE_DIR: stateDir, SLIPWAY_PORT_BASE: String(await findFreePortBase()) },
  SLIPWAY_WEBHOOK_PRIVATE: 'true',
};
const platform = await startPlatform({ environment, report });
const receiver = fork(join(import.meta.dirname, 'trouble-receiver.ts'), { execArgv: ['--import', 'tsx'] });
try {
  const [{ url }] = (await once(receiver, 'message')) as [{ url: string }];
  const { settings } = platform;
  const token = await fetchToken(settings.OIDC_ISSUER, 'demo-admin', 'demo-admin-secret');
  const client = createClient({ baseUrl: settings.SLIPWAY_BASE_URL, token });
  const spec = { fields: { word: { type: 'text' } }, allow_blind_put: true };
  await client.call('PUT', '/v2/datasets/words', { kind: 'Dataset', id: 'words', spec });
  const subscribe = (name: string, path: string) =>
    client.call('POST', '/v2/subscriptions', { name, url: `${url}/${path}`, types: ['dataset.words.*'] });
  const take = async (): Promise<number[]> => {
    receiver.send('take');
    return ((await once(receiver, 'message')) as [{ ages: number[] }])[0].ages;
  };

  let written = 0;
  /** Writes at a steady pace, and waits until each was told to every good subscription. */
  async function measure(seconds: number): Promise<number[]> {
    const began = Date.now();
    const wanted = PACE.perSecond * seconds;
    for (let n = 0; n < wanted; n += 1) {
      await sleep(Math.max(0, began + (n * 1_000) / PACE.perSecond - Date.now()));
      await client.call('PUT', `/v2/words/${(written % 500) + 1}`, { word: `w${(written += 1)}` });
    }
    const ages: number[] = [];
    for (const deadline = Date.now() + 60_000; ages.length < wanted * GOOD && Date.now() < deadline; await sleep(100)) {
      ages.push(...(await take()));
    }
    if (ages.length !== wanted * GOOD) throw new Error(`${ages.length} of ${wanted * GOOD} notices came`);
    return ages.sort((one, other) => one - other);
  }
  const at = (ages: readonly number[], share: number): number => ages[Math.floor((ages.length - 1) * share)] ?? NaN;
  const figuresOf = (ages: readonly number[]) => ({ p50Ms: at(ages, 0.5), p99Ms: at(ages, 0.99), maxMs: at(ages, 1) });

  for (let n = 0; n < GOOD; n += 1) await subscribe(`good ${n}`, 'good');
  await measure(5); // warm
  const alone = figuresOf(await measure(PACE.seconds));
  console.log(`${GOOD} subscriptions alone: p50 ${alone.p50Ms} ms, p99 ${alone.p99Ms} ms, max ${alone.maxMs} ms`);
  const beside: Record<string, typeof alone> = {};
  for (const fault of TROUBLE) {
    await subscribe(fault, fault);
    const found = (beside[fault] = figuresOf(await measure(PACE.seconds)));
    console.log(`beside ${fault} too: p50 ${found.p50Ms} ms, p99 ${found.p99Ms} ms, max ${found.maxMs} ms`);
  }
  await writeResult('isolation', { good: GOOD, pace: PACE, alone, beside });
} finally {
  receiver.kill();
  await platform.stop();
  await resetStack({ stateDir, report });
  await rm(folder, { recursive: true, force: true });
}
process.exit();
