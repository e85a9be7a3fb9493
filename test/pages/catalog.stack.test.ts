import { afterAll, afterEach, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { createVerifyCaller } from '../../gateway/caller.js';
import { DeploymentSpec } from '../../lifecycle/kinds/deployment.js';
import { createIssuer, tokenEndpoint } from '../../platform/auth/issuer.js';
import { newConnection } from '../activities/shared/resources.js';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { startEdge, startModel, wine } from '../gateway/edge.js';
import { wineInfo } from '../gateway/wine-info.js';
import { startModelTable } from './model-table.js';
import { insertPipelineRuns } from './pipeline-table.js';
import { createBrowser, NOTHING, storedBy } from './browser.js';

const browser = createBrowser();
const issuer = createIssuer({ url: process.env.OIDC_ISSUER ?? '' });
const verify = createVerifyCaller({ issuer, audience: ['slipway'], roleClaims: ['realm_access.roles'] });
const findTokenEndpoint = () => tokenEndpoint(issuer);
afterAll(async () => {
  await browser.close();
  issuer.close();
});

const running: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(running.splice(0).map((stop) => stop())));

const SAMPLE = { columns: ['alcohol', 'pH'], data: [[9.4, 3.51]] };

/** A gateway that trusts the issuer of the stack, before one model that answers its sample. */
async function startCatalog() {
  const model = await startModel(({ body }) => ({
    body: JSON.stringify({ prediction: JSON.parse(body).data.map(() => 5.5) }),
  }));
  running.push(() => model.stop());
  const edge = await startEdge([wine([model.url], { info: wineInfo(true) })], { verify, findTokenEndpoint });
  running.push(() => edge.stop());
  const open = () => browser.open(`${edge.url}/service-catalog/swagger/index.html`);
  return { ...edge, model, open };
}

async function logIn(page: Page, id: string, secret: string): Promise<void> {
  await page.fill('#client', id);
  await page.fill('#secret', secret);
  await page.click('#login button');
}

async function predict(page: Page): Promise<string> {
  await page.click('.opblock-post .opblock-summary-control');
  await page.click('.try-out__btn');
  await page.click('.execute');
  return page.locator('.live-responses-table tbody .response').innerText();
}

test('a client logs in with id and secret, and the prefilled sample is answered', async () => {
  const catalog = await startCatalog();
  const page = await catalog.open();
  await logIn(page, 'demo-scientist', 'demo-scientist-secret');
  const answer = await predict(page);
  expect(answer).toMatch(/^200/);
  expect(answer).toContain('5.5');
  expect(catalog.model.calls.map(({ body }) => JSON.parse(body))).toEqual([SAMPLE]);
  expect(await page.inputValue('#secret')).toBe('');
  expect(await storedBy(page)).toEqual(NOTHING);
  expect(browser.errors).toEqual([]);

  await page.click('#logout');
  expect(await page.locator('.opblock').count()).toBe(0);
});

test('whoever is logged in sees which services are down, until the log out', async () => {
  const api = await startTestApi({
    issuer,
    findOutages: async () => [{ name: 'database', reason: 'refuses connections' }],
  });
  running.push(() => api.stop());
  const edge = await startEdge([], { verify, findTokenEndpoint, apiUrl: api.url });
  running.push(() => edge.stop());
  const page = await browser.open(`${edge.url}/service-catalog/swagger/index.html`);
  await logIn(page, 'demo-viewer', 'demo-viewer-secret');
  await page.locator('#outages', { hasText: 'database (refuses connections)' }).waitFor();
  await page.click('#logout');
  expect(await page.locator('#outages').innerText()).toBe('');
});

test('the table names every model with its description, owner, numbers and training, and gives its OpenAPI document', async () => {
  const { api, models } = await startModelTable({ issuer });
  running.push(() => api.stop());
  const model = await startModel(() => ({ body: JSON.stringify(wineInfo(true)) }));
  running.push(() => model.stop());
  const edge = await startEdge(models(model.url), { verify, findTokenEndpoint, apiUrl: api.url });
  running.push(() => edge.stop());
  const page = await browser.open(`${edge.url}/service-catalog/swagger/index.html`);
  await logIn(page, 'demo-scientist', 'demo-scientist-secret');
  await page.locator('#list td', { hasText: 'rmse 0.7' }).waitFor();
  const rows = await page.locator('#list tbody tr').allInnerTexts();
  expect(rows[0]).toMatch(/^bare\b.*No sample: the model says nothing of its input and output/s);
  expect(rows[1]).toContain(
    ['Rates a red wine from 3 to 8 by its measured properties <b>', 'ada', '50%', '200', '3'].join('\t'),
  );
  const wineRow = page.locator('#list tbody tr').nth(1);
  const [saved] = await Promise.all([page.waitForEvent('download'), wineRow.getByText('OpenAPI').click()]);
  expect(saved.suggestedFilename()).toBe('wine.openapi.json');
  expect(browser.errors).toEqual([]);
  await page.click('#logout');
  expect(await page.locator('#list').innerText()).toBe('');
});

/** The catalog of an API that `prepare` fills, with a client logged in. */
async function openTable(client: string, prepare?: (api: TestApi) => Promise<void>) {
  const { api, models } = await startModelTable({ issuer });
  running.push(() => api.stop());
  await prepare?.(api);
  const edge = await startEdge(models('http://127.0.0.1:9'), { verify, findTokenEndpoint, apiUrl: api.url });
  running.push(() => edge.stop());
  const page = await browser.open(`${edge.url}/service-catalog/swagger/index.html`);
  await logIn(page, client, `${client}-secret`);
  return { api, page };
}

test('trainings are compared by their parameters and metrics, and the log of one is read', async () => {
  const { page } = await openTable('demo-viewer');
  await page.click('#runs summary');
  await page.locator('#runs svg circle').waitFor();
  expect(await page.locator('#runs svg').getAttribute('aria-label')).toBe('rmse by training, from 0.7 to 0.7');
  expect(await page.locator('#runs tbody tr').innerText()).toMatch(
    /^wine\tsucceeded\twine 1\t.*alpha=0\.5\trmse=0\.7\t/,
  );
  await page.click('#runs tbody button');
  await page.locator('#runs pre', { hasText: /^log of training wine\s.*end of the log/s }).waitFor();
  expect(browser.errors).toEqual([]);
  await page.click('#logout');
  expect(await page.locator('#runs').isVisible()).toBe(false);
});

test('deployments, packagings and connections are listed; no secret is shown', async () => {
  const { page } = await openTable('demo-viewer', async ({ connections }) => {
    const git = { type: 'git', uri: 'https://git.example/<b>', password: 'c2VjcmV0' };
    await connections.insert(newConnection('code', git));
  });
  await page.click('#resources summary');
  const rows = page.locator('#resources tbody tr');
  await rows.first().waitFor();
  expect(await page.locator('#resources h2').allInnerTexts()).toEqual(['Deployments', 'Packagings', 'Connections']);
  expect(await rows.allInnerTexts()).toEqual([
    expect.stringMatching(/^wine\tReady\t1 of 2\t/),
    expect.stringMatching(/^wine\tsucceeded\tcontainer-rest\t/),
    expect.stringMatching(/^(models-output|docker-ci)\t/),
    expect.stringMatching(/^(models-output|docker-ci)\t/),
    expect.stringMatching(/^code\tgit\thttps:\/\/git\.example\/<b>\t–\t/),
  ]);
  expect(await page.content()).not.toContain('c2VjcmV0');
  await rows.getByRole('button', { name: 'Show the log of wine' }).click();
  await page.locator('#resources pre', { hasText: /^log of packaging wine/ }).waitFor();
  expect(browser.errors).toEqual([]);
  await page.click('#logout');
  expect(await page.locator('#resources').isVisible()).toBe(false);
});

test('runs that wait for an approval are on top, and are decided; a refusal is shown in the words of the API', async () => {
  const { api, page } = await openTable('demo-scientist', insertPipelineRuns);
  await page.locator('#pipelines summary', { hasText: 'Pipeline runs: 2 wait for approval' }).click();
  const rows = page.locator('#pipelines tbody');
  expect(await rows.count()).toBe(3);
  const [mine, foreign, failed] = ['wine-2', 'beer-1', 'wine-1'].map((id) => rows.filter({ hasText: id }));
  expect(await rows.last().innerText()).toContain('failed: ToolchainFailed\n<img src=x onerror=alert(1)>');
  expect(await failed?.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await foreign?.getByLabel('Reason').fill('as last month');
  await foreign?.getByRole('button', { name: 'Reject beer-1' }).click();
  await foreign?.getByText('run beer-1 is decided by the roles release-managers').waitFor();
  await mine?.getByLabel('Reason').fill('checked <b>');
  await mine?.getByRole('button', { name: 'Approve wine-2' }).click();
  await mine?.getByText(/^approved by .*: checked <b>$/).waitFor();
  expect(await mine?.locator('form').count()).toBe(0);
  expect((await api.pipelineRuns.get('wine-2'))?.status.approval).toMatchObject({ reason: 'checked <b>' });
  expect(await page.locator('#pipelines summary').innerText()).toBe('Pipeline runs: 1 waits for approval');
  await mine?.getByRole('button', { name: 'Show the log of training wine' }).click();
  await page.locator('#pipelines pre', { hasText: /end of the log/ }).waitFor();
  expect(browser.errors).toEqual([]);
  await page.click('#logout');
  expect(await page.locator('#pipelines').isVisible()).toBe(false);
});

test('a deployment goes back to an earlier revision once that is confirmed', async () => {
  const { api, page } = await openTable('demo-scientist', keepRevisions);
  await page.getByRole('button', { name: 'Show the revisions of wine' }).click();
  const rows = page.locator('#revisions tbody tr');
  await rows.last().getByRole('button', { name: 'Go back to revision 1 of wine' }).waitFor();
  expect(await rows.allInnerTexts()).toEqual([
    expect.stringMatching(/^2\tserves now\twine 2\tregistry\.example\.org\/wine:2\t2026-11-20 08:02:00\tada$/),
    expect.stringMatching(/^1\tGo back\twine 1\t/),
  ]);
  const answers = [false, true];
  page.on('dialog', (dialog) => void (answers.shift() ? dialog.accept() : dialog.dismiss()));
  const goBack = () => rows.last().getByRole('button').click();
  await goBack();
  expect((await api.deployments.get('wine'))?.generation).toBe(2);
  await goBack();
  await page.locator('#revisions', { hasText: 'Revision 3 has not taken over: Processing.' }).waitFor();
  expect((await api.deployments.get('wine'))?.spec.image).toBe('registry.example.org/wine:1');
  expect(browser.errors).toEqual([]);
});

/** Two revisions of the deployment of the model table; the second one serves. */
async function keepRevisions({ deployments, revisions }: TestApi): Promise<void> {
  const specOf = (generation: number) =>
    DeploymentSpec.parse({ image: `registry.example.org/wine:${generation}`, predictor: 'platform-ml-server' });
  const { uid } = await deployments.update('wine', (current) => ({ ...current, generation: 2, spec: specOf(2) }));
  for (const generation of [1, 2]) {
    const spec = specOf(generation);
    const at = `2026-11-20T08:0${generation}:00.000Z`;
    const model = { modelName: 'wine', modelVersion: `${generation}`, image: spec.image };
    await revisions.keep(uid, { generation, at, updatedBy: 'ada', ...model, spec });
  }
}

test('a wrong secret and a bad token are refused in words', async () => {
  const catalog = await startCatalog();
  const page = await catalog.open();
  await logIn(page, 'demo-scientist', 'wrong');
  await page.locator('#notice', { hasText: 'client authentication failed' }).waitFor();
  await page.fill('#token', 'eyJ.no.token');
  await page.click('#paste button');
  await page.locator('#notice', { hasText: 'This token is not valid' }).waitFor();
  expect(await page.locator('.opblock').count()).toBe(0);
});

test('a caller who may call no model sees a message about it', async () => {
  const catalog = await startCatalog();
  catalog.table.clear();
  const page = await catalog.open();
  await logIn(page, 'demo-custom', 'demo-custom-secret');
  await page.locator('#guide', { hasText: 'No deployed model is open to you' }).waitFor();
});

test('an issuer that does not answer pages leaves the token to paste, and the page says so', async () => {
  const model = await startModel(() => ({ body: '{"prediction": [5.5]}' }));
  running.push(() => model.stop());
  const edge = await startEdge([wine([model.url], { info: wineInfo(true) })], {
    findTokenEndpoint: async () => `${edge.issuer.url}/token`, // it has no CORS
  });
  running.push(() => edge.stop());
  const page = await browser.open(`${edge.url}/service-catalog/swagger/index.html`);
  await logIn(page, 'unknown', 'secret');
  await page.locator('#notice', { hasText: 'does not allow requests from here' }).waitFor();
  await page.fill('#token', await edge.issuer.token(['data_scientist']));
  await page.click('#paste button');
  expect(await predict(page)).toMatch(/^200/);
});
