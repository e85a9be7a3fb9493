import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { PATIENT } from '../patient-server.js';

/** A real OpenID issuer in what the API asks of one: discovery and keys over HTTP, tokens signed with them. */
export async function startTestIssuer() {
  const keys = await Promise.all(
    ['RS256', 'ES256', 'EdDSA'].map(async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      const kid = `test-${alg}`;
      return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
    }),
  );
  const requests: string[] = [];
  const server = createServer(PATIENT, (req, res) => {
    requests.push(req.url ?? '');
    res.setHeader('content-type', 'application/json');
    if (req.url === '/.well-known/openid-configuration') {
      res.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks`, token_endpoint: `${url}/token` }));
    } else if (req.url === '/jwks') {
      res.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
    } else {
      res.statusCode = 404;
      res.end('{}');
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** A token as the issuer writes them; every part can be spoilt. */
  async function token(roles: readonly string[], spoilt: TokenParts = {}): Promise<string> {
    const { alg = 'RS256', kid, key, claims = {}, expiresIn = '1h', audience = 'slipway', issuer = url } = spoilt;
    const { subject = 'tester' } = spoilt;
    const known = keys.find((each) => each.alg === alg) ?? keys[0];
    const jwt = new SignJWT({ roles, name: `test ${roles.join(' ')}`, email: 'test@example.org', ...claims })
      .setProtectedHeader({ alg, kid: kid ?? known?.kid ?? '' })
      .setIssuer(issuer)
      .setAudience(audience);
    if (subject !== null) jwt.setSubject(subject);
    if (expiresIn !== null) jwt.setExpirationTime(expiresIn);
    return jwt.sign(key ?? known?.privateKey ?? new Uint8Array(32));
  }

  return {
    url,
    requests,
    token,
    publicKey: keys[0]?.jwk,
    stop: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

export type TestIssuer = Awaited<ReturnType<typeof startTestIssuer>>;

interface TokenParts {
  alg?: string;
  kid?: string;
  key?: Parameters<SignJWT['sign']>[0];
  claims?: Record<string, unknown>;
  expiresIn?: string | number | null;
  audience?: string;
  subject?: string | null;
  issuer?: string;
}
