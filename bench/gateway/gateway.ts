import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { pino } from 'pino';
import { createGateway } from '../../gateway/gateway.js';
import { createRoutes } from '../../gateway/routes.js';
import { createSpool } from '../../gateway/spool.js';
import { createVerifyCaller } from '../../gateway/caller.js';
import { createIssuer } from '../../platform/auth/issuer.js';
import type { Endpoint } from '../../lifecycle/kinds/endpoint.js';

/** The gateway as it runs in production, before one deployment: tokens checked, records written. */
const [, , replicaUrl = ''] = process.argv;
const { publicKey, privateKey } = await generateKeyPair('RS256');
const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256' };
const issuer = createServer((req, res) => {
  res.end(JSON.stringify(req.url === '/jwks' ? { keys: [jwk] } : { issuer: issuerUrl, jwks_uri: `${issuerUrl}/jwks` }));
});
await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
const issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
const token = await new SignJWT({ realm_access: { roles: ['data_scientist'] } })
  .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
  .setSubject('bench')
  .setIssuer(issuerUrl)
  .setAudience('slipway')
  .setExpirationTime('1h')
  .sign(privateKey);

const endpoint: Endpoint = {
  id: 'bench',
  uid: 'bench',
  generation: 1,
  roleName: 'role-bench',
  modelName: 'bench',
  modelVersion: '1',
  timeoutSeconds: 60,
  feedback: true,
  replicas: [{ name: 'r0', url: replicaUrl }],
  info: {},
};
const dir = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
const log = pino({ level: 'warn' }, process.stderr);
const endpoints = { get: async () => endpoint, list: async () => [endpoint] };
const customRoutes = { get: async () => undefined, list: async () => [] };
const readers = { acknowledge: async () => {}, leave: async () => {} };
const routes = await createRoutes({ endpoints, customRoutes, readers, copyPath: join(dir, 'routes.json'), log });
const spool = await createSpool({ dir: join(dir, 'spool'), log });
const verify = createVerifyCaller({
  issuer: createIssuer({ url: issuerUrl }),
  audience: ['slipway'],
  roleClaims: ['realm_access.roles'],
});
const gateway = createGateway({ routes, verify, spool, apiUrl: 'http://127.0.0.1:9', log });

gateway.server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`;
  process.send?.({ url, token, spoolDir: join(dir, 'spool') });
});
process.once('message', () => {
  void (async () => {
    await gateway.close();
    await spool.close();
    process.send?.(spool.stats());
    await rm(dir, { recursive: true });
    process.exit(0);
  })();
});
