import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { PATIENT } from '../../patient-server.js';

export const USER = { username: 'anna', password: 'open sesame' };

/** The issuer of a registry's tokens: anybody may pull, one user may push. `asked` has the scopes of each request. */
export async function startTokenRealm(folder: string, user = USER) {
  const basic = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`;
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=realm', '-days', '2', '-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], { stdio: 'ignore' });
  const privateKey = createPrivateKey(await readFile(key, 'utf8'));
  const x5c = [(await readFile(certificate, 'utf8')).replace(/-----[A-Z ]+-----|\s/g, '')];
  const asked: string[][] = [];
  const server = createServer(PATIENT, (request, response) => {
    const scopes = new URL(request.url ?? '', 'http://realm').searchParams.getAll('scope');
    asked.push(scopes);
    const isUser = request.headers.authorization === basic;
    if (request.headers.authorization !== undefined && !isUser) return void response.writeHead(401).end();
    const access = scopes.flatMap((scope) => scope.split(' ')).map((scope) => accessOf(scope, isUser));
    void new SignJWT({ access })
      .setProtectedHeader({ alg: 'RS256', x5c })
      .setIssuer('realm')
      .setAudience('registry')
      .setIssuedAt()
      .setNotBefore('-1 minute')
      .setExpirationTime('5 minutes')
      .sign(privateKey)
      .then((token) => response.end(JSON.stringify({ token })));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const realm = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  const auth = { token: { realm, service: 'registry', issuer: 'realm', rootcertbundle: certificate } };
  return { settings: { auth }, realm, asked, stop: () => void server.close() };
}

function accessOf(scope: string, isUser: boolean) {
  const [type = '', name = '', actions = ''] = scope.split(':');
  return { type, name, actions: actions.split(',').filter((action) => isUser || action === 'pull') };
}
