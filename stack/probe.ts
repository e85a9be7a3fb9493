import { SlipwayError } from '../resources/errors.js';

/** @throws unavailable when the address does not answer with one of `statuses` within two seconds */
export async function requireAnswer(url: string, statuses: readonly number[] = [200]): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  if (statuses.includes(response.status)) return response;
  await response.body?.cancel();
  throw new SlipwayError('unavailable', `${url} answers ${response.status}`);
}
