import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGraph } from '../api/reference/graph-data.js';
import type { TestReference } from '../api/reference/test-reference.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { createBrowser, NOTHING, storedBy } from './browser.js';

const browser = createBrowser();
let api: TestApi;
let reference: TestReference;
beforeAll(async () => {
  [api, reference] = await Promise.all([startTestApi(), startTestGraph()]);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([api.stop(), reference.stop()]);
});

test('a reader gives a key and sees the datasets that it may read; a wrong key is refused in words', async () => {
  const { secret } = await reference.keys.issue({ name: 'page', scopes: ['data:read:skills'] }, 'test');
  const page = await browser.open('about:blank');
  // The front door gives both APIs one address.
  await page.route('**/v2/**', (route) =>
    route.continue({ url: reference.url + new URL(route.request().url()).pathname }),
  );
  await page.goto(`${api.url}/swagger/reference.html`);
  const section = (name: string) => page.locator(`#operations-tag-${name}`);
  await section('any_dataset').waitFor();

  await page.click('.auth-wrapper > .authorize');
  const box = page.locator('.auth-container', { hasText: 'x-api-key' });
  await box.locator('input').fill('slp_unknown_key');
  await box.locator('button.authorize').click();
  await box.locator('text=the API key is not accepted').waitFor();
  await box.locator('text=Logout').click();

  await box.locator('input').fill(secret);
  await box.locator('button.authorize').click();
  await section('skills').waitFor();
  expect(await section('positions').count()).toBe(0);
  expect(await page.locator('.auth-container .errors').count()).toBe(0);

  expect(await storedBy(page)).toEqual(NOTHING);
  expect(browser.errors).toEqual([]);
});
