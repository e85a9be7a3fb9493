import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../chaos/faults.js';
import { createClient, fetchToken } from '../../examples/wine/demo/client.js';
import { findFreePortBase } from '../../stack/ports.js';
import { resetStack } from '../../stack/stack.js';
import { startPlatform } from '../../workers/compose/platform.js';
import { writeResult } from '../report.js';
import { startProgram } from '../start-program.js';

// Five good subscriptions to one dataset. Rounds with troubled ones beside them, and with as many that only take their
// notices, take turns, so that both meet the same machine and the same work. Those beside are new in each round: no endpoint
// is left alone yet.
const GOOD = 5;
const CASES: readonly (readonly Fault[])[] = [
  ['hang'],
  ['drip'],
  ['reset'],
  ['garbage'],
  ['hang', 'drip', 'reset', 'garbage'],
];
const PER_SECOND = 8;
const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 10);

const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
const stateDir = join(folder, 'state');
const report = (line: string): void => console.error(line);
const environment = {
  ...process.env,
  ...{ SLIPWAY_STATE_DIR: stateDir, SLIPWAY_PORT_BASE: String(await findFreePortBase()) },
  SLIPWAY_WEBHOOK_PRIVATE: 'true',
};
const platform = await startPlatform({ environment, report });
const receiver = await startProgram(new URL('trouble-receiver.ts', import.meta.url));
try {
  const [{ url }] = (await once(receiver, 'message')) as [{ url: string }];
  const { settings } = platform;
  const token = await fetchToken(settings.OIDC_ISSUER, 'demo-admin', 'demo-admin-secret');
  const client = createClient({ baseUrl: settings.SLIPWAY_BASE_URL, token });
  const spec = { fields: { word: { type: 'text' } }, allow_blind_put: true };
  await client.call('PUT', '/v2/datasets/words', { kind: 'Dataset', id: 'words', spec });
  const subscribe = async (name: string, path: string): Promise<string> => {
    const body = { name, url: `${url}/${path}`, types: ['dataset.words.*'] };
    return (await client.call<{ id: string }>('POST', '/v2/subscriptions', body)).body.id;
  };
  const take = async (): Promise<{ ages: number[]; troubled: number }> => {
    receiver.send('take');
    return ((await once(receiver, 'message')) as [{ ages: number[]; troubled: number }])[0];
  };

  let written = 0;
  /** Writes at a steady pace, and waits until each has arrived at every good subscription. */
  async function measure(duration = seconds): Promise<{ ages: number[]; troubled: number }> {
    const began = Date.now();
    const wanted = PER_SECOND * duration;
    for (let n = 0; n < wanted; n += 1) {
      await sleep(Math.max(0, began + (n * 1_000) / PER_SECOND - Date.now()));
      await client.call('PUT', `/v2/words/${(written % 500) + 1}`, { word: `w${(written += 1)}` });
    }
    const ages: number[] = [];
    let troubled = 0;
    for (const deadline = Date.now() + 60_000; ages.length < wanted * GOOD && Date.now() < deadline; await sleep(100)) {
      const taken = await take();
      ages.push(...taken.ages);
      troubled += taken.troubled;
    }
    if (ages.length !== wanted * GOOD) throw new Error(`${ages.length} of ${wanted * GOOD} notices came`);
    return { ages, troubled };
  }

  for (let n = 0; n < GOOD; n += 1) await subscribe(`good ${n}`, 'good');
  await measure(5); // warm
  const table: ReturnType<typeof rowOf>[] = [];
  for (const faults of CASES) {
    const found = { plain: [] as number[], troubled: [] as number[], spoiled: 0 };
    for (let round = 0; round < rounds; round += 1) {
      for (const side of ['plain', 'troubled'] as const) {
        const paths = faults.map((fault) => (side === 'plain' ? 'plain' : fault));
        const ids = await Promise.all(paths.map((path) => subscribe(path, path)));
        const { ages, troubled } = await measure();
        found[side].push(...ages);
        found.spoiled += troubled;
        for (const id of ids) await client.call('POST', `/v2/subscriptions/${id}/pause`);
      }
    }
    table.push(rowOf(faults.join(' + '), found));
    report(`${faults.join(' + ')}: measured`);
  }
  console.log(
    `\n${GOOD} subscriptions receive ${PER_SECOND} writes/s, from commit to arrival, ms; ${rounds} rounds each`,
  );
  console.table(table);
  await writeResult('isolation', { good: GOOD, perSecond: PER_SECOND, rounds, seconds, table });
} finally {
  receiver.kill();
  await platform.stop();
  await resetStack({ stateDir, report });
  await rm(folder, { recursive: true, force: true });
}
process.exit();

function rowOf(beside: string, found: { plain: number[]; troubled: number[]; spoiled: number }) {
  const [before, after] = [found.plain, found.troubled].map((ages) => {
    const sorted = ages.toSorted((one, other) => one - other);
    return (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
  });
  const [p50, p99] = [0.5, 0.99];
  const ratioOf = (share: number): number =>
    Math.round(((after?.(share) ?? NaN) / (before?.(share) ?? NaN)) * 100) / 100;
  return {
    'beside one that does': beside,
    'requests it spoiled': found.spoiled,
    'p50 without': before?.(p50),
    'p50 with': after?.(p50),
    'ratio p50': ratioOf(p50),
    'p99 without': before?.(p99),
    'p99 with': after?.(p99),
    'ratio p99': ratioOf(p99),
  };
}
