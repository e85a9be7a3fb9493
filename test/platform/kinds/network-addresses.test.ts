import { expect, test } from 'vitest';
import { type Network, parseNetwork, refusedKind } from '../../../platform/kinds/network-addresses.js';

const networks = (...texts: string[]): Network[] => texts.flatMap((text) => parseNetwork(text) ?? []);

// First and last of each range, so that a wrong prefix length is seen from both sides.
test.each([
  ['an unspecified', ['0.0.0.0', '0.255.255.255', '::']],
  ['a private', ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255']],
  ['a private', ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']],
  ['a shared', ['100.64.0.0', '100.100.100.200', '100.127.255.255']],
  ['a loopback', ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1']],
  ['a metadata', ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254']],
  ['a link-local', ['169.254.0.0', '169.254.255.255', 'fe80::', 'fe80::1%eth0', 'febf:ffff::']],
  ['a reserved', ['192.0.0.0', '192.0.0.255', '240.0.0.0', '255.255.255.254']],
  ['a documentation', ['192.0.2.0', '192.0.2.255', '198.51.100.1', '203.0.113.255', '2001:db8::', '3fff:fff::1']],
  ['a relay', ['192.88.99.1']],
  ['a benchmark', ['198.18.0.0', '198.19.255.255']],
  ['a multicast', ['224.0.0.0', '239.255.255.255', 'ff00::', 'ff02::1', 'ffff::']],
  ['a broadcast', ['255.255.255.255']],
  ['a reserved', ['::2', '::8.8.8.8', '::ffff:0:8.8.8.8', '64:ff9b:1::10.0.0.1', '64:ff9b:1::8.8.8.8', '2001:2::1']],
  ['a discard', ['100::', '100::ffff:ffff:ffff:ffff']],
  ['a Teredo', ['2001::', '2001:0:ffff::']],
  ['a segment routing', ['5f00::', '5f00:ffff::1']],
  ['a site-local', ['fec0::', 'feff::1']],
  ['an unassigned', ['200::1', '4000::1', '1fff:ffff::', 'e000::1']],
  ['an unreadable', ['', 'example.org', '10.1', '2130706433', '0x7f.0.0.1', '127.0.0.01', '1.2.3.4.5', '[::1]']],
])('%s address is refused: %j', (kind, addresses) => {
  expect(addresses.map((address) => [address, refusedKind(address)])).toEqual(
    addresses.map((address) => [address, kind]),
  );
});

test.each([
  '1.1.1.1',
  ...['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '1.0.0.0'],
  ...[
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
  ],
  ...['2000::1', '2606:4700:4700::1111', '2001:200::1', '2001:db7:ffff::1', '2001:db9::1', '3ffe::1', '3fff:1000::1'],
])('%s is public', (address) => {
  expect(refusedKind(address)).toBeUndefined();
});

const holders: [string, (v4: string) => string][] = [
  ['mapped', (v4) => `::ffff:${v4}`],
  ['NAT64', (v4) => `64:ff9b::${v4}`],
  ['6to4', (v4) => `2002:${toHex(v4)}::1`],
];
test.each(holders)('an IPv4 address inside a %s one is judged as itself', (_, inside) => {
  expect(refusedKind(inside('127.0.0.1'))).toBe('a loopback');
  expect(refusedKind(inside('10.1.2.3'))).toBe('a private');
  expect(refusedKind(inside('169.254.169.254'))).toBe('a metadata');
  expect(refusedKind(inside('8.8.8.8'))).toBeUndefined();
  expect(refusedKind(inside('10.1.2.3'), networks('10.1.0.0/16'))).toBeUndefined();
});

/** `7f00:1` of `127.0.0.1` */
function toHex(v4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

test('opened ranges are allowed, and nothing beside them', () => {
  const open = networks('10.1.0.0/16', 'fd12::/16', '192.168.7.7');
  expect(['10.1.255.255', 'fd12::9', '192.168.7.7', '1.1.1.1'].map((a) => refusedKind(a, open))).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
  expect(['10.2.0.0', 'fd13::9', '192.168.7.8', '127.0.0.1'].map((a) => refusedKind(a, open))).toEqual([
    'a private',
    'a private',
    'a private',
    'a loopback',
  ]);
  expect(refusedKind('::1', networks('0.0.0.0/0'))).toBe('a loopback');
  expect(['::1', 'fe80::1', '10.0.0.1'].map((a) => refusedKind(a, networks('::/0', '0.0.0.0/0')))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.each(['', 'ten', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '::/129', 'example.org/8', '10.0.0.0/8/8'])(
  '%j is no range',
  (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  },
);
