import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProcess } from '../../workers/compose/supervisor.js';
import { startTestIssuer } from '../api/test-issuer.js';
import { wine } from '../gateway/edge.js';
import { findTestPortBase } from '../stack/port-base.js';

test('a gateway that starts while the database is away serves from its copy of the routes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-gateway-'));
  const model = createServer((req, res) => void req.resume().on('end', () => res.end('{"prediction":[1]}')));
  await new Promise<void>((done) => model.listen(0, '127.0.0.1', done));
  const replica = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  await mkdir(join(folder, 'gateway'));
  await writeFile(join(folder, 'gateway', 'routes.json'), JSON.stringify([wine([replica])]));
  const issuer = await startTestIssuer();
  const base = await findTestPortBase();
  const environment = {
    PATH: process.env.PATH,
    MONGODB_URI: 'mongodb://127.0.0.1:1',
    SLIPWAY_STATE_DIR: folder,
    SLIPWAY_GATEWAY_PORT: String(base),
    SLIPWAY_GATEWAY_INTERNAL_PORT: String(base + 1),
    OIDC_ISSUER: issuer.url,
  };
  const gateway = await startProcess('gateway', { environment, logDir: join(folder, 'logs'), report: () => undefined });
  const headers = { authorization: `Bearer ${await issuer.token(['data_scientist'])}` };
  const call = (id: string) =>
    fetch(`http://127.0.0.1:${base}/model/${id}/api/model/invoke`, { method: 'POST', headers, body: '{}' });

  const reply = await call('wine');
  expect([reply.status, await reply.json()]).toEqual([200, { prediction: [1] }]);
  expect((await fetch(`http://127.0.0.1:${base + 1}/readyz`)).status).toBe(200);
  // It may be younger than the copy.
  const unknown = await call('other');
  expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '1']);

  await gateway.stop();
  model.close();
  await issuer.stop();
  await rm(folder, { recursive: true });
});
