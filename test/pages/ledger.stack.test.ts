import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { OutboxEvent } from '../../notifications/kinds/outbox-event.js';
import { startTestReference, type TestReference } from '../api/reference/test-reference.js';
import { createBrowser, NOTHING, storedBy } from './browser.js';

const HOSTILE = "<img src=x onerror='document.title=1'>";
const browser = createBrowser();
let api: TestReference;
let key: string;
let id: string;
beforeAll(async () => {
  api = await startTestReference();
  const fields = { status: { type: 'enum', values: ['Open', 'Filled'] } };
  await api.call('PUT', '/v2/datasets/positions', { body: { kind: 'Dataset', id: 'positions', spec: { fields } } });
  const scopes = ['subscriptions:read', 'subscriptions:write', 'data:read:positions'];
  ({ secret: key } = await api.keys.issue({ name: 'page', scopes }, 'test'));
  const body = { name: 'a', url: 'https://hr.example/', types: ['dataset.positions.*'], on_ambiguous: 'hold' };
  id = (await api.call('POST', '/v2/subscriptions', { body })).body.id;
  const at = new Date().toISOString();
  const notices = Array.from({ length: 60 }, (_, n): OutboxEvent => {
    const event = JSON.stringify({ specversion: '1.0', data: { entity: { id: '9007199254740993', title: HOSTILE } } });
    const named = { id: `ntc_${n + 1}`, eventId: `evt_${n + 1}`, type: 'dataset.positions.updated' };
    return { ...named, sequence: n + 1, about: `positions/${n + 1}`, body: event };
  });
  await api.outbox.insert(id, { block: 1, from: 1, notices, sources: {}, at, token: 't' });
  const subscription = { subscription: id, sequence: 60 };
  await api.ledger.begin(subscription, { number: 1, episode: 0, owner: 'o', startedAt: at, deadline: at });
  await api.ledger.end(subscription, 1, { outcome: 'ambiguous', at, error: HOSTILE });
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

async function open(): Promise<Page> {
  return browser.open(`${api.url}/v2/subscriptions/${id}/deliveries`);
}
const rows = (page: Page) => page.locator('#list tbody tr');

test('a key shows the deliveries, one of them is sent once more, and nothing of it stays in the browser', async () => {
  const page = await open();
  await page.fill('#key', key);
  await page.click('#access button');
  await rows(page).nth(49).waitFor();
  expect(await rows(page).first().innerText()).toContain('held');
  await page.click('#more');
  await rows(page).nth(59).waitFor();
  expect(await rows(page).count()).toBe(60);

  await page.selectOption('#state', 'held');
  await page.click('#access button');
  await page.waitForFunction('document.querySelectorAll("#list tbody tr").length === 1');
  await page.locator('#list tbody button').first().click();
  await page.locator('#timeline li', { hasText: 'outcome ambiguous' }).waitFor();
  expect(await page.locator('#body').innerText()).toContain(HOSTILE);

  await page.click('#resend');
  await page.locator('#notice', { hasText: 'Notice 60 is sent once more' }).waitFor();
  await page.locator('#timeline li', { hasText: 'reopened' }).waitFor();
  expect((await api.ledger.read({ subscription: id, sequence: 60 })).reopenings).toHaveLength(1);
  expect(await page.locator('#resend').isDisabled()).toBe(true);

  expect(await page.title()).toBe('Deliveries');
  expect(await page.locator('img').count()).toBe(0);
  expect(await storedBy(page)).toEqual(NOTHING);
  expect(browser.errors).toEqual([]);
});

test('a key that is not accepted is refused in words, and the page runs nothing but its own script', async () => {
  const page = await open();
  await page.fill('#key', 'slp_k000_no');
  await page.click('#access button');
  await page.locator('#notice[data-error]', { hasText: 'the API key is not accepted' }).waitFor();
  const reply = await fetch(`${api.url}/v2/subscriptions/${id}/deliveries`, { headers: { accept: 'text/html' } });
  const policy = reply.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'sha256-");
  expect(policy).not.toContain('unsafe');
  expect((await api.call('GET', `/v2/subscriptions/${id}/deliveries`)).headers.get('content-type')).toMatch(/json/);
});
