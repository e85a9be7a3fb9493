import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGraph } from '../api/reference/graph-data.js';
import { ALL_SCOPES, type TestReference } from '../api/reference/test-reference.js';
import { createBrowser, storedBy } from './browser.js';

const browser = createBrowser();
let api: TestReference;
beforeAll(async () => {
  api = await startTestGraph({ changes: { graphiql: true } });
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

test('a developer puts a key in, reads the schema, runs a query, and the browser keeps no key', async () => {
  const { secret } = await api.keys.issue({ name: 'page', scopes: ALL_SCOPES }, 'test');
  const page = await browser.open(`${api.url}/v2/graphql`);
  await page.getByLabel('Show Documentation Explorer').click();
  await page.locator('.graphiql-doc-explorer', { hasText: 'Query' }).waitFor();
  expect(await page.locator('.result-window').textContent()).not.toContain('errors');
  await page.getByLabel('Hide Documentation Explorer').click();
  await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)').click();
  for (const key of ['End', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key); // between the quotes
  await page.keyboard.insertText(secret);
  await page.keyboard.press('Shift+Control+R');
  await page.getByLabel('Show Documentation Explorer').click();
  await page.locator('.graphiql-doc-explorer', { hasText: 'Query' }).waitFor();

  await page.getByLabel('Execute query (Ctrl-Enter)').click();
  await page.locator('.result-window', { hasText: '"positions"' }).waitFor();

  expect(JSON.stringify(await storedBy(page))).not.toContain(secret);
  expect(browser.errors).toEqual([]);
});
