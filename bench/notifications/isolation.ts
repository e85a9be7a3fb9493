import type { Fault } from '../chaos/faults.js';
import { writeResult } from '../report.js';
import { measure, openScene, quantile, report } from './scene.js';

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
const load = { perSecond: PER_SECOND, seconds, good: GOOD };

const scene = await openScene();
try {
  const receiver = await scene.startReceiver();
  for (let n = 0; n < GOOD; n += 1) await scene.subscribe(`good ${n}`, `${receiver.url}/good`);
  await measure(scene, receiver, { ...load, seconds: 5 }); // warm
  const table: ReturnType<typeof rowOf>[] = [];
  for (const faults of CASES) {
    const found = { plain: [] as number[], troubled: [] as number[], spoiled: 0 };
    for (let round = 0; round < rounds; round += 1) {
      for (const side of ['plain', 'troubled'] as const) {
        const paths = faults.map((fault) => (side === 'plain' ? 'plain' : fault));
        const ids = await Promise.all(paths.map((path) => scene.subscribe(path, `${receiver.url}/${path}`)));
        const { ages, troubled } = await measure(scene, receiver, load);
        found[side].push(...ages);
        found.spoiled += troubled;
        for (const id of ids) await scene.client.call('POST', `/v2/subscriptions/${id}/pause`);
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
  await scene.close();
}
process.exit();

function rowOf(beside: string, { plain, troubled, spoiled }: { plain: number[]; troubled: number[]; spoiled: number }) {
  const ratioOf = (share: number): number =>
    Math.round((quantile(troubled, share) / quantile(plain, share)) * 100) / 100;
  return {
    'beside one that does': beside,
    'requests it spoiled': spoiled,
    'p50 without': quantile(plain, 0.5),
    'p50 with': quantile(troubled, 0.5),
    'ratio p50': ratioOf(0.5),
    'p99 without': quantile(plain, 0.99),
    'p99 with': quantile(troubled, 0.99),
    'ratio p99': ratioOf(0.99),
  };
}
