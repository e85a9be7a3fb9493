import type { Terminal } from '../terminal.js';

/** `fetch` that tells of each request on standard error: method, address, status, time and the name of the request. */
export function traced(fetch: typeof globalThis.fetch, { note, paintNote }: Terminal): typeof globalThis.fetch {
  return async (input, init) => {
    const { method, url } = input instanceof Request ? input : { method: init?.method ?? 'GET', url: String(input) };
    const begun = performance.now();
    const tell = (how: string): void =>
      note(paintNote('dim', `${method} ${url} ${how} ${Math.round(performance.now() - begun)} ms`));
    try {
      const response = await fetch(input, init);
      tell(`${response.status} ${response.headers.get('x-request-id') ?? ''}`.trim());
      return response;
    } catch (error) {
      tell('no reply');
      throw error;
    }
  };
}
