import { SlipwayError } from '../platform/kinds/errors.js';

/** The body. @throws unavailable when the address does not answer with 200 within two seconds */
export async function requireAnswer(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  const body = await response.text();
  if (response.status === 200) return body;
  throw new SlipwayError('unavailable', `${url} answers ${response.status}`);
}
