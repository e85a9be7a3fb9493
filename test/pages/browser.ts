import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../docs/browser.js';

/** Asserts that the pages leave no data in the browser. */
export const storedBy = (page: Page): Promise<unknown> =>
  page.evaluate('[{ ...localStorage }, { ...sessionStorage }, document.cookie]');
export const NOTHING = [{}, {}, ''];

/** One browser for a file of tests; each page has a context of its own, and its script errors are kept. */
export function createBrowser() {
  let browser: Promise<Browser> | undefined;
  const errors: string[] = [];
  return {
    errors,
    async open(url: string): Promise<Page> {
      browser ??= launchBrowser();
      const page = await (await browser).newPage();
      page.setDefaultTimeout(120_000);
      page.on('pageerror', (err) => errors.push(err.message));
      await page.goto(url);
      return page;
    },
    close: async () => (await browser)?.close(),
  };
}
