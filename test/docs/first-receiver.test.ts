import { execa } from 'execa';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { createProbe } from '../../activities/notifications/probe.js';
import { createWebhookSender } from '../../activities/notifications/webhook-sender.js';
import { createHmacSecret, parseSigningKey } from '../../notifications/delivery/signing-keys.js';
import { findTestPortBase } from '../stack/port-base.js';
import { readBlocks } from './blocks.js';

async function untilAnswered(url: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    if (await fetch(url).catch(() => undefined)) return;
  }
  throw new Error(`${url} does not answer`);
}

test.each([
  ['L1', null],
  ['L2', '/hooks/slipway/receipts'],
])('the first receiver that the documentation shows proves level %s', async (level, receipts) => {
  const example = readBlocks('docs/notifications.md').find(({ language }) => language === 'js')?.text ?? '';
  // The package is not built here.
  const script = example.replaceAll(/'slipway\/(receiver\/\w+)'/g, "'./$1.ts'");
  expect(script).not.toBe(example);
  const port = await findTestPortBase();
  const secret = createHmacSecret();
  const running = execa(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    env: { NODE_OPTIONS: '', PORT: String(port), SLIPWAY_HOOK_SECRET: secret },
    reject: false,
  });
  const dispatcher = new Agent();
  try {
    const origin = `http://127.0.0.1:${port}`;
    await untilAnswered(origin);
    const probe = createProbe({
      sender: createWebhookSender({ dispatcher }),
      userAgent: 'test',
      origin: 'slipway.test',
      stepMs: 60_000,
    });
    const report = await probe({
      id: 'sub_1',
      spec: {
        url: `${origin}/hooks/slipway`,
        receipt_url: receipts && `${origin}${receipts}`,
        headers: {},
        rate: { per_second: 50, concurrency: 8 },
      },
      keys: [parseSigningKey(secret)],
    });
    expect(report, JSON.stringify(report.steps)).toMatchObject({ answered: true, level });
  } finally {
    running.kill();
    await running;
    await dispatcher.destroy();
  }
});
