import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A range of addresses: those whose first bits are the same. */
export interface Network {
  address: Address;
  bits: number;
}

/** The addresses of a name; empty when it has none now. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** `10.1.0.0/16`, `fd00::/8`, or one address. @returns undefined when it is neither */
export function parseNetwork(text: string): Network | undefined {
  const [, host = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (address === undefined) return undefined;
  const most = address.kind() === 'ipv4' ? 32 : 128;
  const bits = length === undefined ? most : Number(length);
  return bits > most ? undefined : { address, bits };
}

/** Whether a host, with or without port, is this machine by its name: a request to it passes no network. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);

/**
 * Addresses that a caller may not send our requests to, with their names. The first row that fits names it.
 * Sources: the IANA special-purpose registries for IPv4 and IPv6, and RFC 6890.
 */
// prettier-ignore
const REFUSED = [
  ['0.0.0.0/8',          'an unspecified'],
  ['10.0.0.0/8',         'a private'],
  ['100.64.0.0/10',      'a shared'],        // carriers' networks; one cloud keeps its metadata here
  ['127.0.0.0/8',        'a loopback'],
  ['169.254.169.254/32', 'a metadata'],
  ['169.254.0.0/16',     'a link-local'],
  ['172.16.0.0/12',      'a private'],
  ['168.63.129.16/32',   'a metadata'],      // public by number, and inside every machine of one cloud
  ['192.0.0.0/24',       'a reserved'],
  ['192.0.2.0/24',       'a documentation'],
  ['192.88.99.0/24',     'a relay'],
  ['192.168.0.0/16',     'a private'],
  ['198.18.0.0/15',      'a benchmark'],
  ['198.51.100.0/24',    'a documentation'],
  ['203.0.113.0/24',     'a documentation'],
  ['224.0.0.0/4',        'a multicast'],
  ['255.255.255.255/32', 'a broadcast'],
  ['240.0.0.0/4',        'a reserved'],      // class E
  ['::/128',             'an unspecified'],
  ['::1/128',            'a loopback'],
  ['::/8',               'a reserved'],      // forms that hold an IPv4 address, local translation among them
  ['100::/8',            'a discard'],
  ['2001::/32',          'a Teredo'],
  ['2001::/23',          'a reserved'],      // protocols, benchmarks, identifiers
  ['2001:db8::/32',      'a documentation'],
  ['3fff::/20',          'a documentation'],
  ['5f00::/16',          'a segment routing'],
  ['fd00:ec2::254/128',  'a metadata'],
  ['fc00::/7',           'a private'],
  ['fe80::/10',          'a link-local'],
  ['fec0::/10',          'a site-local'],
  ['ff00::/8',           'a multicast'],
] as const;
const RANGES = REFUSED.map(([range, name]) => ({ network: networkOf(range), name }));
/** Public addresses are assigned from this range only. */
const GLOBAL_IPV6 = networkOf('2000::/3');

/** IPv6 ranges whose addresses lead to the IPv4 address inside, and the byte at which it begins. */
const HOLDERS = [
  { network: networkOf('::ffff:0:0/96'), at: 12 }, // mapped
  { network: networkOf('64:ff9b::/96'), at: 12 }, // NAT64
  { network: networkOf('2002::/16'), at: 2 }, // 6to4
];

/**
 * @param address as a resolver or a URL's `hostname` gives it, without brackets
 * @param open ranges that are allowed although they are not public
 * @returns what kind of address it is when requests may not go there, such as `a private`; undefined when they may
 */
export function refusedKind(address: string, open: readonly Network[] = []): string | undefined {
  const outer = parseAddress(address);
  if (outer === undefined) return 'an unreadable';
  const inner = unwrap(outer);
  if (open.some((network) => isIn(inner, network) || isIn(outer, network))) return undefined;
  const refused = RANGES.find(({ network }) => isIn(inner, network));
  if (refused !== undefined) return refused.name;
  return inner.kind() === 'ipv6' && !isIn(inner, GLOBAL_IPV6) ? 'an unassigned' : undefined;
}

/** @returns why no request is sent to this host, as text; undefined when all of its addresses are allowed */
export function refusedAddress(
  host: string,
  addresses: readonly string[],
  networks: readonly Network[],
): string | undefined {
  for (const address of addresses) {
    const kind = refusedKind(address, networks);
    if (kind === undefined) continue;
    return address === host ? `${host} is ${kind} address` : `${host} resolves to ${address}, ${kind} address`;
  }
  return undefined;
}

function unwrap(address: Address): Address {
  const holder = HOLDERS.find(({ network }) => isIn(address, network));
  if (holder === undefined) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(holder.at, holder.at + 4));
}

const isIn = (address: Address, network: Network): boolean =>
  address.kind() === network.address.kind() && address.match(network.address, network.bits);

/** Strict for IPv4: four decimal parts. A URL has turned every other notation into these. */
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  const unscoped = text.replace(/%.*$/, '');
  // The parser reads `::8.8.8.8` as another address than the network does; `URL` writes it without dots.
  const host = `http://[${unscoped}]/`;
  return URL.canParse(host) ? ipaddr.IPv6.parse(new URL(host).hostname.slice(1, -1)) : undefined;
}

function networkOf(range: string): Network {
  const [address, bits] = ipaddr.parseCIDR(range);
  return { address, bits };
}
