import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execa } from 'execa';
import { createProject, readExamples, startProgram } from './packed.js';

let project: Awaited<ReturnType<typeof createProject>>;
let examples: Record<string, string>;
beforeAll(async () => {
  [project, examples] = await Promise.all([createProject(), readExamples()]);
});
afterAll(() => project.remove());

const EVENT = JSON.stringify({ type: 'dataset.positions.updated', data: { entity_id: '7' } });
const HOOK = '/hooks/slipway';

// A pool of one connection, over PostgreSQL inside the process.
const POOL = `
import { PGlite } from '@electric-sql/pglite';
const db = await PGlite.create();
await db.exec('CREATE TABLE changes (type text, data text)');
let last = Promise.resolve();
export const pool = {
  async connect() {
    const before = last;
    let release;
    last = new Promise((done) => (release = done));
    await before;
    return { query: (text, values) => db.query(text, values), release };
  },
};`;

test('the Koa example of the guide runs from the published package, without a compiler', async () => {
  await writeFile(join(project.folder, 'pool.mjs'), POOL);
  const rows = `
app.use(async (ctx) => {
  if (ctx.path !== '/rows') return;
  const client = await pool.connect();
  ctx.body = (await client.query('SELECT * FROM changes')).rows;
  client.release();
});
`;
  const code = `${examples['koa.mjs']}`.replace('app.listen', `${rows}app.listen`);
  const { ask, stop } = await startProgram(project.folder, 'koa.mjs', code, {});
  const answers = await Promise.all([1, 2, 3].map(() => ask(HOOK, EVENT)));
  expect(answers.map(({ receipt }) => receipt).sort()).toEqual(['duplicate', 'duplicate', 'new']);
  expect(await ask(`${HOOK}/receipts/msg_1`)).toMatchObject({ status: 200, text: '{"state":"received"}' });
  expect(JSON.parse((await ask('/rows')).text)).toEqual([
    { type: 'dataset.positions.updated', data: '{"entity_id":"7"}' },
  ]);
  await stop();
});

test('the Express example runs, and says what a MongoDB without transactions lacks', async () => {
  const MONGODB_URI = process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017';
  const { ask, stop } = await startProgram(project.folder, 'express.mjs', `${examples['express.mjs']}`, {
    MONGODB_URI,
  });
  expect(await ask(HOOK, EVENT)).toMatchObject({ status: 500, text: expect.stringContaining('replica set') });
  expect(await stop()).toContain('store.no_transactions');
});

test('the fetch example runs', async () => {
  const server = `
import { createServer } from 'node:http';
createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = req.method === 'GET' ? undefined : Buffer.concat(chunks);
  const reply = await handle(new Request('http://receiver' + req.url, { method: req.method, headers: req.headers, body }));
  res.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
}).listen(process.env.PORT);`;
  const { ask, stop } = await startProgram(project.folder, 'fetch.mjs', `${examples['fetch.mjs']}${server}`, {});
  expect(await ask(HOOK, EVENT)).toMatchObject({ status: 200, receipt: 'new' });
  expect(await ask(HOOK, EVENT)).toMatchObject({ status: 200, receipt: 'duplicate' });
  expect(await stop()).toBe('dataset.positions.updated');
});

test('the package is installed without another one, and every subpath loads', async () => {
  expect(project.packages).toEqual(['node_modules/slipway-receiver']);
  const names = ['', ...['koa', 'express', 'fetch', 'memory', 'mongo', 'sql'].map((name) => `/${name}`)];
  const code = `for (const name of ${JSON.stringify(names)}) console.log(Object.keys(await import('slipway-receiver' + name)).length);`;
  await writeFile(join(project.folder, 'subpaths.mjs'), code);
  const { stdout } = await execa('node', ['subpaths.mjs'], { cwd: project.folder });
  expect(stdout).toMatch(/^([1-9]\d*\n?){7}$/);
});
