import { SlipwayError } from '../../platform/kinds/errors.js';
import { refusedAddress, type Resolve } from '../../platform/kinds/network-addresses.js';
import type { Problem } from '../../platform/kinds/problem.js';
import { hostOf, readWebhookUrl, type WebhookPolicy } from '../../platform/kinds/webhook-url.js';

export interface WebhookAddresses {
  url: string;
  receipt_url?: string;
}

/**
 * Validates the addresses of a subscription; the guard of the connection checks each attempt again. A name without an
 * address now is accepted: a later attempt may find one.
 * @throws url.malformed (400), url.not_allowed (422), each with the JSON pointers of what is wrong
 */
export async function requireWebhookAddresses(
  addresses: WebhookAddresses,
  { policy, resolve }: { policy: WebhookPolicy; resolve: Resolve },
): Promise<void> {
  const url = readUrl(addresses.url, '/url', policy);
  const receipt = addresses.receipt_url;
  if (receipt !== undefined) checkReceiptUrl(readUrl(receipt, '/receipt_url', policy), url);
  const host = hostOf(url);
  const found = await resolve(host).catch(() => []);
  const refused = refusedAddress(host, found, policy.networks);
  if (refused !== undefined) throw refusal('url.not_allowed', 'url.private_address', '/url', refused);
}

/** @throws url.malformed, url.not_allowed */
function readUrl(text: string, pointer: string, policy: WebhookPolicy): URL {
  const url = readWebhookUrl(text, policy);
  if (url instanceof URL) return url;
  throw refusal(url.code, url.issue, pointer, url.message);
}

/** Requires a URL that ends with its path, because the id of a delivery is appended. @throws url.not_allowed */
function checkReceiptUrl(receipt: URL, url: URL): void {
  const deny = (code: string, message: string) => refusal('url.not_allowed', code, '/receipt_url', message);
  if (receipt.origin !== url.origin) throw deny('url.origin', `receipt_url must be on ${url.origin}, as url is`);
  if (receipt.href.includes('?')) throw deny('url.query', 'receipt_url may have no query');
}

function refusal(code: 'url.malformed' | 'url.not_allowed', issue: string, pointer: string, message: string) {
  const problem: Problem = { code: issue, pointer, message };
  return new SlipwayError(code, message, { problems: [problem] });
}
