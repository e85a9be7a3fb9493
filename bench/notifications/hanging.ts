import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { writeResult } from '../report.js';
import { measure, openScene, quantile, report } from './scene.js';

// Good subscriptions alone, then beside many whose receivers take each request and never answer. These have a dataset of
// their own, whose rows are written once: more than a breaker needs to open.
// The notices of one write are late together: the p99 of fewer than 100 writes is the single worst of them.
const GOOD = 10;
const ROWS = 15;
const BAR = 1.5;
const hanging = Number(process.argv[2] ?? 600);
const seconds = Number(process.argv[3] ?? 150);
const load = { perSecond: 2, seconds, good: GOOD };

const scene = await openScene();
try {
  const [receiver, hangs] = [await scene.startReceiver(), await scene.startReceiver()];
  for (let n = 0; n < GOOD; n += 1) await scene.subscribe(`good ${n}`, `${receiver.url}/good`);
  await measure(scene, receiver, { ...load, seconds: 5 }); // warm
  const alone = await measure(scene, receiver, load);
  const limit = pLimit(8);
  await scene.declare('others');
  const subscribe = (n: number): Promise<string> =>
    limit(() => scene.subscribe(`hangs ${n}`, `${hangs.url}/hang`, 'others'));
  await Promise.all(Array.from({ length: hanging }, (_, n) => subscribe(n)));
  report(`${hanging} subscriptions to hanging receivers are there`);
  await sleep(10_000); // their first drains
  for (let n = 0; n < ROWS; n += 1) await scene.write('others');
  const early = await measure(scene, receiver, load);
  const late = await measure(scene, receiver, load);
  const { troubled } = await hangs.take();
  const row = (when: string, { ages }: { ages: number[] }) => {
    const ratio = Math.round((quantile(ages, 0.99) / quantile(alone.ages, 0.99)) * 100) / 100;
    return {
      when,
      p50: quantile(ages, 0.5),
      p99: quantile(ages, 0.99),
      max: quantile(ages, 1),
      ...{ 'ratio p99': ratio, bar: BAR, reached: ratio <= BAR },
    };
  };
  const table = [row('alone', alone), row('beside, at first', early), row('beside, later', late)];
  console.log(`\n${GOOD} good subscriptions, ${load.perSecond} writes/s, from commit to arrival, ms`);
  console.table(table);
  console.log(`${troubled} requests of ${hanging} subscriptions hung`);
  await writeResult('hanging', { good: GOOD, hanging, seconds, troubled, bar: BAR, table });
} finally {
  await scene.close();
}
process.exit();
