import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { hasFirewall, removeFirewall } from '../../stack/firewall.js';
import { stackStatus, stopStack } from '../../stack/stack.js';
import { type ServiceWatch, watchServices } from '../../stack/watch.js';
import { until } from '../e2e/until.js';
import { choosePortBase, killService, OWN, startServices, STATE_DIR } from './test-stack.js';

let watch: ServiceWatch | undefined;
afterEach(() => watch?.stop());
afterAll(() => startServices(), 600_000);

const lines: string[] = [];
async function watchStack(environment: NodeJS.ProcessEnv): Promise<void> {
  lines.length = 0;
  const report = (line: string): void => void lines.push(line);
  watch = watchServices({ stateDir: STATE_DIR, portBase: await choosePortBase(), environment, report });
}

const running = async () => (await stackStatus({ stateDir: STATE_DIR })).filter(({ pid }) => pid !== undefined);

test('services that are killed are started again within seconds, each with a line that names its log', async () => {
  await watchStack(OWN);
  const before = await running();
  expect(before.length).toBeGreaterThanOrEqual(5); // a Docker that is there already is no service of the stack
  for (const { name } of before) await killService(name);
  await until('all of them', async () => before.every(({ name }) => lines.includes(`${name} runs again`)));
  const after = await running();
  for (const { name, pid, logFile } of before) {
    expect(after.find((service) => service.name === name)?.pid).not.toBe(pid);
    expect(lines.filter((line) => line.startsWith(name) && line.includes(logFile))).toHaveLength(1);
  }
}, 600_000);

test('firewall rules of containers that were removed are laid again', async () => {
  await startServices();
  await watchStack(OWN);
  expect(await hasFirewall(STATE_DIR)).toBe(true);
  await removeFirewall(STATE_DIR);
  expect(await hasFirewall(STATE_DIR)).toBe(false);
  await until('the rules', () => hasFirewall(STATE_DIR));
  await until('the report', async () => lines.includes('engine runs again'));
}, 600_000);

test('a service that the user has elsewhere is not started again', async () => {
  await watchStack({ ...OWN, SLIPWAY_REGISTRY: process.env.SLIPWAY_REGISTRY });
  await killService('registry');
  await sleep(3_000);
  expect([(await running()).some(({ name }) => name === 'registry'), lines]).toEqual([false, []]);
});

test('a stop on purpose is not undone', async () => {
  await startServices();
  await watchStack(OWN);
  const stopped = await stopStack({ stateDir: STATE_DIR, report: () => undefined });
  await sleep(3_000);
  expect([stopped.length > 0, await running(), lines]).toEqual([true, [], []]);
}, 600_000);
