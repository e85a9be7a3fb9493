import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './steps.js';

export interface Entity {
  id: string;
  spec: Record<string, unknown>;
  status: {
    state: string;
    reason?: string;
    message?: string;
    logTail?: string;
    artifactName?: string;
    metrics?: Record<string, number>;
    results?: { name: string; value: string }[];
    availableReplicas?: number;
  };
}

const FINAL = ['succeeded', 'failed', 'Ready', 'Failed'];

/** The management API as any HTTP client sees it. */
export function createClient({ baseUrl, token }: { baseUrl: string; token: string }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  async function call<T>(method: string, path: string, body?: unknown, more: Record<string, string> = {}) {
    const reply = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, ...more },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok)
      throw new Error(`${method} ${path}: ${reply.status} ${text || (reply.headers.get('x-slipway-error') ?? '')}`);
    return { body: JSON.parse(text) as T, headers: reply.headers };
  }

  return {
    call,
    headers,
    /** The body as text, for logs. */
    async text(path: string): Promise<string> {
      const reply = await fetch(`${baseUrl}${path}`, { headers });
      if (!reply.ok) throw new Error(`GET ${path}: ${reply.status} ${await reply.text()}`);
      return reply.text();
    },
    async create(path: string, id: string, spec: object): Promise<void> {
      await call('POST', `/api/v1${path}`, { id, spec });
    },
    /** Polls until the entity has come to an end, printing each new state. */
    async wait(path: string, id: string): Promise<Entity> {
      let shown = '';
      for (;;) {
        const { body } = await call<Entity>('GET', `/api/v1${path}/${id}`);
        if (body.status.state !== shown) say(`${id}: ${body.status.state}`);
        shown = body.status.state;
        if (body.status.state.toLowerCase() === 'failed') {
          throw new Error(`${id} failed: ${body.status.reason}: ${body.status.message}\n${body.status.logTail ?? ''}`);
        }
        if (FINAL.includes(shown)) return body;
        await sleep(500);
      }
    },
  };
}
export type Client = ReturnType<typeof createClient>;

/** An access token by the client credentials grant. */
export async function fetchToken(issuer: string, clientId: string, clientSecret: string): Promise<string> {
  const discovery = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as {
    token_endpoint: string;
  };
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'openid',
  });
  const reply = await fetch(discovery.token_endpoint, { method: 'POST', body: form });
  const { access_token: token } = (await reply.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`the issuer gave no token: ${reply.status}`);
  return token;
}
