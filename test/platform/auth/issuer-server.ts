import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

interface SigningKey {
  kid: string;
  alg: string;
  key: CryptoKey;
  jwk: object;
}

/** A real OpenID issuer over HTTP whose keys can be rotated and which can stop answering. */
export async function startIssuerServer() {
  let keys: SigningKey[] = [];
  const requests: string[] = [];
  let isDown = false;
  let changes: object = {};

  async function rotate(...algorithms: string[]): Promise<void> {
    keys = await Promise.all(
      algorithms.map(async (alg) => {
        const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
        const kid = randomUUID();
        return { kid, alg, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
      }),
    );
  }

  await rotate('ES256');
  const server = createServer((req, res) => {
    requests.push(req.url ?? '');
    if (isDown) return void res.writeHead(503).end();
    const found = { issuer: url, jwks_uri: `${url}/jwks`, token_endpoint: `${url}/token`, ...changes };
    const body = req.url === '/jwks' ? { keys: keys.map(({ jwk }) => jwk) } : found;
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  interface Parts {
    alg?: string;
    audience?: string;
    issuer?: string;
    subject?: string | null;
    expires?: number | null;
  }
  /** Signs with the key of `alg`, by default the first; every part can be left out or replaced. */
  async function token(parts: Parts = {}): Promise<string> {
    const { alg = keys[0]?.alg, audience = 'slipway', issuer = url, subject = 'tester' } = parts;
    const { expires = Math.floor(Date.now() / 1_000) + 3_600 } = parts;
    const signing = keys.find((each) => each.alg === alg);
    if (signing === undefined) throw new Error(`no key for ${alg}`);
    const jwt = new SignJWT({ roles: ['viewer'] })
      .setProtectedHeader({ alg: signing.alg, kid: signing.kid })
      .setIssuer(issuer)
      .setAudience(audience);
    if (subject !== null) jwt.setSubject(subject);
    if (expires !== null) jwt.setExpirationTime(expires);
    return jwt.sign(signing.key);
  }

  return {
    url,
    requests,
    rotate,
    token,
    /** Replaces members of the discovery document. */
    setDiscovery: (members: object): void => void (changes = members),
    setDown: (down: boolean): void => void (isDown = down),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
