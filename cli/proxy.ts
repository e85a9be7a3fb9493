type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'];

/** Node's `fetch` knows no proxies: where the environment names one, undici's own agent for it is used. */
export async function createFetch(env: Environment): Promise<typeof globalThis.fetch> {
  if (!NAMES.some((name) => env[name])) return globalThis.fetch;
  const { EnvHttpProxyAgent, fetch } = await import('./proxy-agent.js');
  const dispatcher = new EnvHttpProxyAgent();
  // Node's Request is of another version of the same library, so it is taken apart; the types of both agree elsewhere.
  const proxied = (input: Request | string | URL, init: RequestInit = {}) =>
    input instanceof Request
      ? fetch(input.url, { ...partsOf(input), dispatcher } as Parameters<typeof fetch>[1])
      : fetch(input, { ...init, dispatcher } as Parameters<typeof fetch>[1]);
  return proxied;
}

const partsOf = ({ method, headers, body, signal }: Request) => ({
  method,
  headers: [...headers],
  signal,
  ...(body && { body, duplex: 'half' }),
});
