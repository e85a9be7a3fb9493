import { setTimeout as sleep } from 'node:timers/promises';
import { publishStub } from '../../test/e2e/stub-model.js';
import { startTestPlatform } from '../../test/e2e/platform.js';
import { untilState } from '../../test/e2e/run-state.js';
import { until } from '../../test/e2e/until.js';
import { startTestStack, stopTestStack } from '../../test/stack/test-stack.js';
import { median, writeResult } from '../report.js';

/**
 * From a call at a deployment without a running replica to the first byte of its answer, on the embedded stack. The stub
 * starts in a moment: the time that a model takes to load comes on top of a stopped one.
 */
const BARS_MS = { paused: 100, stopped: 1_500 };
type Tier = keyof typeof BARS_MS;

const [samples = 20] = process.argv.slice(2).map(Number);

Object.assign(process.env, await startTestStack());
const times = { SLIPWAY_SCALE_SECONDS: '10', SLIPWAY_PAUSE_SECONDS: '1', SLIPWAY_STOP_SECONDS: '2' };
const platform = await startTestPlatform(times);
try {
  await measure();
} finally {
  await platform.stop();
  await stopTestStack();
}
process.exit();

async function measure(): Promise<void> {
  const id = platform.newId('cold');
  const image = await publishStub(platform);
  await platform.admin.create('/model/deployment', id, { image, predictor: 'platform-ml-server' });
  await untilState(platform, '/model/deployment', id, ['Ready']);

  const phase = async () => {
    const [found] = await platform.engine.find({ kind: 'deployment', id });
    return found && (await platform.engine.state(found))?.phase;
  };
  const call = async (): Promise<number> => {
    const began = performance.now();
    const url = `${platform.baseUrl}/model/${id}/api/model/invoke`;
    const reply = await fetch(url, { method: 'POST', headers: platform.admin.headers, body: '{"data":[[1]]}' });
    const ms = performance.now() - began;
    if (!reply.ok || !reply.headers.has('x-slipway-cold-start')) {
      throw new Error(`not a cold start: ${reply.status} ${await reply.text()}`);
    }
    await reply.arrayBuffer();
    return ms;
  };
  const wanted = { paused: 'paused', stopped: undefined } as const;
  const found: Record<Tier, number[]> = { paused: [], stopped: [] };
  for (let n = 0; n < samples; n += 1) {
    for (const tier of ['paused', 'stopped'] as const) {
      await until(`the deployment to be ${tier}`, async () => (await phase()) === wanted[tier], { pollMs: 20 });
      await sleep(1_100); // the gateway reads the routes each second
      found[tier].push(await call());
    }
  }
  const rows = (['paused', 'stopped'] as const).map((tier) => ({
    ...{ tier, samples, p50Ms: median(found[tier]), maxMs: Math.max(...found[tier]), barMs: BARS_MS[tier] },
  }));
  await writeResult('cold-start', { rows });
  for (const { tier, p50Ms, maxMs, barMs } of rows) {
    const cells = [tier.padEnd(8), `p50 ${p50Ms.toFixed(0)} ms`, `max ${maxMs.toFixed(0)} ms`, `bar p50 ${barMs} ms`];
    process.stdout.write(`${cells.join('  ')}\n`);
  }
}
