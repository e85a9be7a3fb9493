import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { createIssuer } from '../../platform/auth/issuer.js';
import type { Outage } from '../../platform/kinds/outage.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { createBrowser, NOTHING, storedBy } from './browser.js';

const browser = createBrowser();
/** With the issuer of the stack, which lets pages of this machine ask for tokens. */
let api: TestApi;
/** Its issuer lets no page ask. */
let closed: TestApi;
let down: Outage[] = [];
beforeAll(async () => {
  const issuer = createIssuer({ url: process.env.OIDC_ISSUER ?? '' });
  [api, closed] = await Promise.all([startTestApi({ issuer, findOutages: async () => down }), startTestApi()]);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([api.stop(), closed.stop()]);
});

async function logIn(page: Page, id: string, secret: string): Promise<Locator> {
  await page.click('.auth-wrapper > .authorize');
  const box = page.locator('.auth-container', { hasText: 'clientCredentials' });
  await box.locator('input').nth(0).fill(id);
  await box.locator('input').nth(1).fill(secret);
  await box.locator('button.authorize').click();
  return box;
}

async function tryOut(page: Page, tag: string, operation: string, body?: string): Promise<Locator> {
  await page.locator(`#operations-tag-${tag}`).click();
  const block = page.locator(`#operations-${tag}-${operation}`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.try-out__btn').click();
  if (body !== undefined) await block.locator('textarea').fill(body);
  await block.locator('.execute').click();
  return block.locator('.live-responses-table tbody .response');
}

test('a client logs in with id and secret, tries a call, and reads what is wrong with another', async () => {
  const page = await browser.open(`${api.url}/swagger/index.html`);
  const box = await logIn(page, 'demo-admin', 'demo-admin-secret');
  await box.locator('text=Logout').waitFor();
  await page.locator('.btn-done').first().click();

  const listed = await tryOut(page, 'ModelTraining', 'listModelTrainings');
  expect(await listed.locator('.response-col_status').innerText()).toContain('200');
  const refused = await tryOut(page, 'Connection', 'createConnection', '{"id": "no good id", "spec": {"type": "git"}}');
  expect(await refused.locator('.response-col_status').innerText()).toContain('400');
  expect(await refused.innerText()).toContain('spec.uri');

  expect(await storedBy(page)).toEqual(NOTHING);
  expect(browser.errors).toEqual([]);
});

test('whoever is logged in sees which services are down, until they answer again', async () => {
  down = [{ name: 'registry', reason: 'refuses connections' }];
  const page = await browser.open(`${api.url}/swagger/index.html`);
  const box = await logIn(page, 'demo-viewer', 'demo-viewer-secret');
  await box.locator('text=Logout').waitFor();
  const line = page.locator('#outages');
  await line.filter({ hasText: 'registry (refuses connections)' }).waitFor();
  down = [];
  await line.filter({ hasText: /^$/ }).waitFor({ state: 'attached' });
  expect(browser.errors).toEqual([]);
});

test('a wrong secret is refused in words', async () => {
  const page = await browser.open(`${api.url}/swagger/index.html`);
  const box = await logIn(page, 'demo-admin', 'wrong');
  await box.locator('.errors').waitFor();
  expect(await box.locator('.errors').innerText()).toContain('client authentication failed');
});

test('an issuer that does not answer pages leaves the token to paste, and the page says so', async () => {
  const page = await browser.open(`${closed.url}/swagger/index.html`);
  const box = await logIn(page, 'unknown', 'secret');
  await box.locator('.errors').waitFor();
  expect(await box.locator('.errors').innerText()).toContain('paste it under bearer');
  const paste = page.locator('.auth-container', { hasText: 'http, Bearer' });
  await paste.locator('input').fill(await closed.token(['viewer']));
  await paste.locator('button.authorize').click();
  await page.locator('.btn-done').first().click();
  const answered = await tryOut(page, 'ModelTraining', 'listModelTrainings');
  expect(await answered.locator('.response-col_status').innerText()).toContain('200');
});
