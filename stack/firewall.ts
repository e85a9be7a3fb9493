import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import ipaddr from 'ipaddr.js';
import { bridgePattern, engineKey } from '../platform/engines/docker/bridge-names.js';
import { parseNetwork } from '../platform/kinds/network-addresses.js';
import { engineHost, placeEngine } from './engine-settings.js';

/** Ranges that no container connects to unless a setting opens them. The host's own addresses are closed by the hook. */
// prettier-ignore
const CLOSED = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16',
  '168.63.129.16/32', // public by number, and inside every machine of one cloud: its metadata
  '224.0.0.0/4', '240.0.0.0/4',
  '::/8', // loopback, and forms that hold an IPv4 address
  '2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8',
];

export interface FirewallRules {
  /** Of the engine: `engineKey`. */
  key: string;
  /** Folder of the installation; a later start removes the rules of folders that are gone. */
  stateDir: string;
  /** Ranges that are open all the same. */
  open: readonly string[];
  /** Name servers that containers may ask although their addresses are private. */
  resolvers: readonly string[];
}

export const firewallTable = (key: string): string => `slipway_${key}`;

/** The engine key of an installation with an embedded engine. */
export const firewallKey = (stateDir: string): string => engineKey(engineHost(placeEngine(stateDir)));

/**
 * The rules in the language of nftables. They stand in a table of their own: a packet that it rejects is lost, whatever
 * other tables accept, before or after it. Only packets of this engine's networks are concerned. Established
 * connections are the answers to requests of the host at published ports, or were let out before.
 */
export function firewallScript({ key, stateDir, open, resolvers }: FirewallRules): string {
  const table = `inet ${firewallTable(key)}`;
  const ours = bridgePattern(key);
  return `table ${table}
delete table ${table}
table ${table} {
  comment ${JSON.stringify(stateDir.slice(0, 120))}
  ${addressSet('closed', CLOSED)}
  ${addressSet('open', open)}
  ${addressSet('resolvers', resolvers)}
  chain to_host {
    type filter hook input priority -160; policy accept;
    iifname "${ours}" ct state { established, related } accept
    iifname "${ours}" reject with icmpx admin-prohibited
  }
  chain through_host {
    type filter hook forward priority -160; policy accept;
    iifname "${ours}" jump from_container
    oifname "${ours}" ct state new drop
  }
  chain from_container {
    ct state { established, related } accept
    iifname "${bridgePattern(key, 'none')}" reject with icmpx admin-prohibited
    oifname "${ours}" reject with icmpx admin-prohibited
    ip daddr @resolvers4 meta l4proto { tcp, udp } th dport 53 accept
    ip6 daddr @resolvers6 meta l4proto { tcp, udp } th dport 53 accept
    ip daddr @open4 accept
    ip6 daddr @open6 accept
    ip daddr @closed4 reject with icmpx admin-prohibited
    ip6 daddr @closed6 reject with icmpx admin-prohibited
    iifname "${bridgePattern(key, 'index')}" meta l4proto { tcp, udp } th dport { 53, 80, 443 } accept
    iifname "${bridgePattern(key, 'index')}" reject with icmpx admin-prohibited
  }
}
`;
}

/** One set per family, which may be empty. */
function addressSet(name: string, ranges: readonly string[]): string {
  const of = (kind: string) => ranges.filter((range) => parseNetwork(range)?.address.kind() === kind);
  const elements = (list: string[]) => (list.length === 0 ? '' : `elements = { ${list.join(', ')} }`);
  return `set ${name}4 { type ipv4_addr; flags interval; auto-merge; ${elements(of('ipv4'))} }
  set ${name}6 { type ipv6_addr; flags interval; auto-merge; ${elements(of('ipv6'))} }`;
}

/** Lays the rules, all at once: there is no moment without them. */
export async function layFirewall(rules: FirewallRules): Promise<void> {
  await execa('nft', ['-f', '-'], { input: firewallScript(rules) });
}

/** The rules as they stand in the kernel; undefined when there are none. */
export async function readFirewall(key: string): Promise<string | undefined> {
  const { exitCode, stdout } = await execa('nft', ['list', 'table', 'inet', firewallTable(key)], { reject: false });
  return exitCode === 0 ? stdout : undefined;
}

export async function removeFirewall(key: string): Promise<void> {
  await execa('nft', ['delete', 'table', 'inet', firewallTable(key)], { reject: false });
}

/** The host's name servers, which containers use too. Podman reads systemd's list where the usual one names a loopback. */
export async function hostResolvers(): Promise<string[]> {
  const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const named = [...texts.join('\n').matchAll(/^nameserver\s+([0-9a-fA-F.:]+)\s*$/gm)].map(([, address = '']) => address);
  return [...new Set(named)].filter((address) => ipaddr.isValid(address) && ipaddr.parse(address).range() !== 'loopback');
}
