import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Page } from 'playwright-core';
import { parseSettings, type Settings } from '../config.js';
import { fetchToken } from '../examples/wine/demo/client.js';
import { startStack } from '../stack/stack.js';
import { launchBrowser } from './browser.js';

/**
 * The pictures of README and docs, of a platform that runs: `npm run retraining -- --keep`, then `npm run pictures`
 * beside it; with names only these: `npm run pictures -- temporal-pipeline`.
 */
const FOLDER = join(import.meta.dirname, 'images');
const SIZE = { width: 1400, height: 900 };
const CLIENT = { id: 'demo-scientist', secret: 'demo-scientist-secret' };

const pictures: Record<string, (page: Page) => Promise<number | void>> = {
  'temporal-workflows': takeWorkflows,
  'temporal-training': takeTraining,
  'temporal-pipeline': takePipeline,
  'temporal-pipeline-history': takePipelineHistory,
  catalog: takeCatalog,
  swagger: takeSwagger,
};
const wanted = process.argv.slice(2);

const settings = await readSettings();
await requirePlatform(settings);
const browser = await launchBrowser();
try {
  for (const [name, take] of Object.entries(pictures).filter(
    ([name]) => wanted.length === 0 || wanted.includes(name),
  )) {
    const page = await browser.newPage({ viewport: SIZE });
    const heightShown = await take(page);
    const clip = { x: 0, y: 0, width: SIZE.width, height: heightShown ?? SIZE.height };
    await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: heightShown !== undefined, clip });
    await page.close();
    process.stdout.write(`docs/images/${name}.png\n`);
  }
} finally {
  await browser.close();
}

/** As the platform that runs here has them: the stack says where it is. */
async function readSettings(): Promise<Settings> {
  const environment = process.env;
  const stateDir = resolve(environment.SLIPWAY_STATE_DIR ?? '.slipway');
  const portBase = environment.SLIPWAY_PORT_BASE === undefined ? undefined : Number(environment.SLIPWAY_PORT_BASE);
  const found = await startStack({ stateDir, portBase, environment, report: () => undefined });
  return parseSettings({ ...found, ...environment });
}

async function requirePlatform({ SLIPWAY_BASE_URL, OIDC_ISSUER }: Settings): Promise<void> {
  const token = await fetchToken(OIDC_ISSUER, CLIENT.id, CLIENT.secret);
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${SLIPWAY_BASE_URL}/health`, { headers }).catch(() => undefined);
  if (!reply?.ok) throw new Error('no platform runs here; start one with: npm run demo -- --keep');
}

function workflowsUrl(): string {
  return `${settings.SLIPWAY_TEMPORAL_UI_URL}/namespaces/${settings.TEMPORAL_NAMESPACE}/workflows`;
}

/** Temporal's page draws itself for a while after it has its data. */
function untilDrawn(page: Page): Promise<void> {
  return page.waitForTimeout(3_000);
}

/** @returns how far down the picture goes: to the end of a short list */
async function takeWorkflows(page: Page): Promise<number> {
  const query = encodeURIComponent('TemporalScheduledById IS NULL');
  await page.goto(`${workflowsUrl()}?query=${query}`);
  await page.getByRole('link', { name: 'training/' }).first().waitFor();
  await untilDrawn(page);
  return 620;
}

async function takeTraining(page: Page): Promise<void> {
  await page.goto(`${await urlOfLast('training')}/history`);
  await page.getByText('awaitTraining').first().waitFor();
  await untilDrawn(page);
}

/** Its steps with their times, and what came of them. */
async function takePipeline(page: Page): Promise<void> {
  await page.goto(`${await urlOfLast('pipeline')}/history`);
  await page.getByText('User Metadata').first().click();
  await untilDrawn(page);
}

async function takePipelineHistory(page: Page): Promise<void> {
  await page.goto(`${await urlOfLast('pipeline')}/history`);
  await page.getByText('awaitPipelineDeployment').first().waitFor();
  await untilDrawn(page);
}

/** The address of the newest run of a workflow that has succeeded. */
async function urlOfLast(type: string): Promise<string> {
  const connection = await Connection.connect({ address: settings.TEMPORAL_ADDRESS });
  try {
    const client = new Client({ connection, namespace: settings.TEMPORAL_NAMESPACE });
    const query = `WorkflowType = '${type}' AND ExecutionStatus = 'Completed'`;
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      return `${workflowsUrl()}/${encodeURIComponent(workflowId)}/${runId}`;
    }
    throw new Error(`no ${type} has succeeded here; run this first: npm run retraining -- --keep`);
  } finally {
    await connection.close();
  }
}

/** @returns how far down the picture goes: to the end of the model's answer */
async function takeCatalog(page: Page): Promise<number> {
  await page.goto(`${settings.SLIPWAY_BASE_URL}/service-catalog/swagger/index.html`);
  await page.fill('#client', CLIENT.id);
  await page.fill('#secret', CLIENT.secret);
  await page.click('#login button');
  await page.locator('.opblock-post .opblock-summary-control').first().click();
  await page.click('.try-out__btn');
  await page.click('.execute');
  const answer = page.locator('.live-responses-table');
  await answer.waitFor();
  // The command line holds the token.
  await page.addStyleTag({ content: '.curl-command, .request-url { display: none }' });
  const box = await answer.boundingBox();
  return Math.ceil((box?.y ?? 0) + (box?.height ?? SIZE.height) + (await page.evaluate<number>('window.scrollY')));
}

async function takeSwagger(page: Page): Promise<void> {
  await page.goto(`${settings.SLIPWAY_BASE_URL}/swagger/index.html`);
  await page.click('.auth-wrapper > .authorize');
  const box = page.locator('.auth-container', { hasText: 'clientCredentials' });
  await box.locator('input').nth(0).fill(CLIENT.id);
  await box.locator('input').nth(1).fill(CLIENT.secret);
  await box.locator('button.authorize').click();
  await box.getByText('Logout').waitFor();
  await page.locator('.btn-done').first().click();
  await page.click('#operations-tag-ModelTraining');
  await page.locator('#operations-ModelTraining-rerunModelTraining').waitFor();
}
