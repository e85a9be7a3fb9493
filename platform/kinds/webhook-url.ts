import { type Network, parseNetwork, refusedAddress } from './network-addresses.js';

/** The addresses that webhooks may be sent to. */
export interface WebhookPolicy {
  /** Ranges that are allowed although they are not public. */
  networks: readonly Network[];
  http: boolean;
  /** `any` for development. */
  ports: readonly number[] | 'any';
}

/** Every network, for development. */
export const EVERYWHERE = ['0.0.0.0/0', '::/0'].flatMap((text) => parseNetwork(text) ?? []);

/** Why a text is no address of a webhook. */
export interface WebhookUrlFault {
  code: 'url.malformed' | 'url.not_allowed';
  /** Such as `url.scheme`. */
  issue: string;
  message: string;
}

const LONGEST_URL = 2_048;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/** Reads the address of a webhook; a host that is an address is checked, a name has to be resolved first. */
export function readWebhookUrl(text: string, { networks, http, ports }: WebhookPolicy): URL | WebhookUrlFault {
  // `URL` drops these silently, and so would show another address than the one that was written.
  const isPlain = text.length <= LONGEST_URL && !/[\s\\\p{Cc}]/u.test(text);
  if (!isPlain || !URL.canParse(text)) {
    const message = `an address is a URL of up to ${LONGEST_URL} characters, without blanks`;
    return { code: 'url.malformed', issue: 'url.malformed', message };
  }
  const url = new URL(text);
  const deny = (issue: string, message: string): WebhookUrlFault => ({ code: 'url.not_allowed', issue, message });
  if (url.protocol !== 'https:' && !(http && url.protocol === 'http:')) {
    return deny('url.scheme', `the address must begin with https://${http ? ' or http://' : ''}`);
  }
  if (url.username !== '' || url.password !== '')
    return deny('url.userinfo', 'the address may hold no user or password');
  if (text.includes('#')) return deny('url.fragment', 'the address may have no fragment');
  const port = Number(url.port) || DEFAULT_PORTS[url.protocol] || 0;
  const isOpen = ports === 'any' || ports.includes(port) || (http && url.protocol === 'http:' && port === 80);
  if (!isOpen)
    return deny(
      'url.port',
      `port ${port} is not among ${ports.join(', ')}: use one of them, or let an operator add it to SLIPWAY_WEBHOOK_PORTS`,
    );
  const host = hostOf(url);
  const refused = isAddress(url) ? refusedAddress(host, [host], networks) : undefined;
  return refused === undefined ? url : deny('url.private_address', refused);
}

/** The host of a URL in the form of resolvers: without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** A host of digits is IPv4 here: `URL` refuses every other host that ends in a number. */
const isAddress = ({ hostname }: URL): boolean => hostname.startsWith('[') || /^[0-9.]+$/.test(hostname);
