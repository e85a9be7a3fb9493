import { setTimeout as sleep } from 'node:timers/promises';
import { fetchToken } from '../../../examples/wine/demo/client.js';
import { withOwnSignal } from '../../../platform/kinds/own-signal.js';

const TRY_MS = 5_000;
const PAUSE_MS = 200;
const TOKEN_MS = 60_000;

/** A whole answer of the API. */
export interface Answer<T = unknown> {
  status: number;
  body: T;
}

export interface ClientOptions {
  gateways: readonly string[];
  issuer: string;
  /** Ends a call that has no answer yet. */
  signal: AbortSignal;
}

export type PatientClient = ReturnType<typeof createPatientClient>;

/** A client that asks one gateway and then the other until an answer settles its call. */
export function createPatientClient({ gateways, issuer, signal }: ClientOptions) {
  let token: { value: Promise<string>; at: number } | undefined;
  let turn = 0;

  function currentToken(): Promise<string> {
    if (token === undefined || Date.now() - token.at > TOKEN_MS) {
      token = { value: fetchToken(issuer, 'demo-admin', 'demo-admin-secret'), at: Date.now() };
      token.value.catch(() => (token = undefined));
    }
    return token.value;
  }

  async function once<T>(gateway: string, method: string, path: string, body?: unknown, more = {}): Promise<Answer<T>> {
    const headers = { authorization: `Bearer ${await currentToken()}`, 'content-type': 'application/json', ...more };
    return withOwnSignal({ parent: signal, limitMs: TRY_MS }, async (own) => {
      const content = body === undefined ? undefined : JSON.stringify(body);
      const reply = await fetch(`${gateway}${path}`, { method, headers, body: content, signal: own });
      const text = await reply.text();
      return {
        status: reply.status,
        body: (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as T,
      };
    });
  }

  return {
    once,
    /** @throws when `signal` aborts before an answer below 500 came */
    async call<T>(method: string, path: string, body?: unknown, more = {}): Promise<Answer<T>> {
      for (;;) {
        signal.throwIfAborted();
        const gateway = gateways[turn % gateways.length] ?? '';
        const answer = await once<T>(gateway, method, path, body, more).catch(() => undefined);
        if (answer !== undefined && answer.status < 500 && answer.status !== 429) return answer;
        turn += 1;
        await sleep(PAUSE_MS, undefined, { signal });
      }
    },
  };
}

/** @throws unless the call was accepted */
export function accepted<T>({ status, body }: Answer<T>, what: string): T {
  if (status >= 400) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
  return body;
}
