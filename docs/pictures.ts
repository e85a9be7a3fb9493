import { Client, Connection } from '@temporalio/client';
import { type Browser, chromium } from 'playwright-core';
import { parseSettings } from '../config.js';
import { fetchToken } from '../examples/wine/demo/client.js';

/**
 * Takes the pictures of the README from a platform that runs with its default addresses and has seen the demo:
 * `npm run demo -- --keep`, then `npm run pictures` in another terminal.
 */
const settings = parseSettings(process.env);
const folder = new URL('./images/', import.meta.url).pathname;
const SIZE = { width: 1400, height: 900 };
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
try {
  const token = await fetchToken(settings.OIDC_ISSUER, 'demo-admin', 'demo-admin-secret');
  await takeTemporal(browser);
  await takeCatalog(browser, token);
  await takeSwagger(browser);
} finally {
  await browser.close();
}
process.exit();

async function open(opened: Browser, url: string) {
  const page = await opened.newPage({ viewport: SIZE });
  await page.goto(url, { waitUntil: 'load' });
  return page;
}

async function takeTemporal(opened: Browser): Promise<void> {
  const connection = await Connection.connect({ address: settings.TEMPORAL_ADDRESS });
  const client = new Client({ connection, namespace: settings.TEMPORAL_NAMESPACE });
  const base = `${settings.SLIPWAY_TEMPORAL_UI_URL}/namespaces/${settings.TEMPORAL_NAMESPACE}/workflows`;
  const list = await open(opened, base);
  await list.waitForTimeout(3_000);
  await list.screenshot({ path: `${folder}temporal-workflows.png` });
  for await (const { workflowId, runId } of client.workflow.list({
    query: "WorkflowType = 'training' AND ExecutionStatus = 'Completed'",
  })) {
    const page = await open(opened, `${base}/${encodeURIComponent(workflowId)}/${runId}/timeline`);
    await page.waitForTimeout(4_000);
    await page.screenshot({ path: `${folder}temporal-training.png` });
    break;
  }
  await connection.close();
}

async function takeCatalog(opened: Browser, token: string): Promise<void> {
  const page = await open(opened, `${settings.SLIPWAY_BASE_URL}/service-catalog/swagger/index.html`);
  await page.fill('#token', token);
  await page.click('#access button');
  await page.click('.opblock-post .opblock-summary');
  await page.click('.try-out__btn');
  await page.click('.execute');
  await page.waitForSelector('.live-responses-table');
  await page.screenshot({ path: `${folder}catalog.png`, fullPage: true });
}

async function takeSwagger(opened: Browser): Promise<void> {
  const page = await open(opened, `${settings.SLIPWAY_BASE_URL}/swagger/index.html`);
  await page.waitForSelector('.opblock');
  await page.screenshot({ path: `${folder}swagger.png` });
}
