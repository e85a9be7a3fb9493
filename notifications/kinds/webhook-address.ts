import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Network, refusedAddress, type Resolve } from '../../platform/kinds/network-addresses.js';
import type { Problem } from '../../platform/kinds/problem.js';

/** The addresses that webhooks may be sent to. */
export interface WebhookPolicy {
  /** Ranges that are allowed although they are not public. */
  networks: readonly Network[];
  http: boolean;
  /** `any` for development. */
  ports: readonly number[] | 'any';
}

export interface WebhookAddresses {
  url: string;
  receipt_url?: string;
}

const LONGEST_URL = 2_048;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

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
  const found = isAddress(url) ? [host] : await resolve(host).catch(() => []);
  const refused = refusedAddress(host, found, policy.networks);
  if (refused !== undefined) throw refusal('url.not_allowed', 'url.private_address', '/url', refused);
}

/** The host of a URL in the form of resolvers: without the brackets of IPv6. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** A host of digits is IPv4 here: `URL` refuses every other host that ends in a number. */
const isAddress = ({ hostname }: URL): boolean => hostname.startsWith('[') || /^[0-9.]+$/.test(hostname);

/** @throws url.malformed, url.not_allowed */
function readUrl(text: string, pointer: string, { http, ports }: WebhookPolicy): URL {
  // `URL` drops these silently, and so would show another address than the one that was written.
  const isPlain = text.length <= LONGEST_URL && !/[\s\\\p{Cc}]/u.test(text);
  if (!isPlain || !URL.canParse(text)) {
    const message = `an address is a URL of up to ${LONGEST_URL} characters, without blanks`;
    throw refusal('url.malformed', 'url.malformed', pointer, message);
  }
  const url = new URL(text);
  const deny = (code: string, message: string) => refusal('url.not_allowed', code, pointer, message);
  if (url.protocol !== 'https:' && !(http && url.protocol === 'http:')) {
    throw deny('url.scheme', `the address must begin with https://${http ? ' or http://' : ''}`);
  }
  if (url.username !== '' || url.password !== '')
    throw deny('url.userinfo', 'the address may hold no user or password');
  if (text.includes('#')) throw deny('url.fragment', 'the address may have no fragment');
  const port = Number(url.port) || DEFAULT_PORTS[url.protocol] || 0;
  const isOpen = ports === 'any' || ports.includes(port) || (http && url.protocol === 'http:' && port === 80);
  if (!isOpen) throw deny('url.port', `port ${port} is not among ${ports.join(', ')}`);
  return url;
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
