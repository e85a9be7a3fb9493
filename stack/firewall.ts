import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import ipaddr from 'ipaddr.js';
import { BRIDGES, bridgesOf } from '../platform/engines/docker/bridge-names.js';
import { parseNetwork } from '../platform/kinds/network-addresses.js';
import { exists } from './cache.js';
import { containerRange, digestOf, placeEngine } from './engine-settings.js';

/** Ranges that no container connects to unless a setting opens them. The host's own addresses are closed by the hook. */
// prettier-ignore
const CLOSED = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16',
  '168.63.129.16/32', // public by number, and inside every machine of one cloud: its metadata
  '192.88.99.0/24', '224.0.0.0/4', '240.0.0.0/4',
];

export interface FirewallRules {
  /** Folder of the installation; a later start removes the rules of folders that are gone. */
  stateDir: string;
  /** Ranges that are open all the same. */
  open: readonly string[];
  /** Name servers that containers may ask although their addresses are private. */
  resolvers: readonly string[];
}

const TABLE_PREFIX = 'slipway_';
const LONGEST_COMMENT = 120;
const tableOf = (stateDir: string): string => `${TABLE_PREFIX}${digestOf(stateDir)}`;

/**
 * The rules of an installation, in the language of nftables. They have a table of their own: a packet that it
 * rejects is lost, whatever other tables accept, before or after it. Only packets from and to the addresses of this
 * installation's containers are concerned; they have no IPv6. Established connections are the answers to requests of
 * the host at published ports, or were let out before.
 */
function firewallScript({ stateDir, open, resolvers }: FirewallRules): string {
  const table = `inet ${tableOf(stateDir)}`;
  const containers = containerRange(stateDir);
  return `table ${table}
delete table ${table}
table ${table} {
  comment ${JSON.stringify(stateDir.slice(0, LONGEST_COMMENT))}
  ${addressSet('closed', CLOSED)}
  ${addressSet('open', open)}
  ${addressSet('resolvers', resolvers)}
  chain to_host {
    type filter hook input priority -160; policy accept;
    iifname "${BRIDGES}" meta nfproto ipv6 drop
    iifname "${BRIDGES}" ip saddr ${containers} ct state { established, related } accept
    iifname "${BRIDGES}" ip saddr ${containers} reject with icmpx admin-prohibited
  }
  chain through_host {
    type filter hook forward priority -160; policy accept;
    iifname "${BRIDGES}" meta nfproto ipv6 drop
    iifname "${BRIDGES}" ip saddr ${containers} jump from_container
    oifname "${BRIDGES}" ip daddr ${containers} ct state new drop
  }
  chain from_container {
    ct state { established, related } accept
    iifname "${bridgesOf('none')}" reject with icmpx admin-prohibited
    oifname "${BRIDGES}" reject with icmpx admin-prohibited
    ip daddr @resolvers meta l4proto { tcp, udp } th dport 53 accept
    ip daddr @open accept
    ip daddr @closed reject with icmpx admin-prohibited
    iifname "${bridgesOf('index')}" meta l4proto { tcp, udp } th dport { 53, 80, 443 } accept
    iifname "${bridgesOf('index')}" reject with icmpx admin-prohibited
  }
}
`;
}

/** A set may be empty. */
function addressSet(name: string, ranges: readonly string[]): string {
  const list = ranges.filter((range) => parseNetwork(range)?.address.kind() === 'ipv4');
  const elements = list.length === 0 ? '' : `elements = { ${list.join(', ')} }`;
  return `set ${name} { type ipv4_addr; flags interval; auto-merge; ${elements} }`;
}

/** Lays the rules, all at once: there is no moment without them. */
export async function layFirewall(rules: FirewallRules): Promise<void> {
  const { stateDir } = rules;
  await execa('nft', ['-f', '-'], { input: firewallScript(rules) });
  await writeFile(recordOf(stateDir), (await readFirewall(tableOf(stateDir))) ?? '');
}

/** Whether the rules of an installation are as they were laid. */
export async function hasFirewall(stateDir: string): Promise<boolean> {
  const laid = await readFile(recordOf(stateDir), 'utf8').catch(() => '');
  return laid !== '' && laid === (await readFirewall(tableOf(stateDir)));
}

const recordOf = (stateDir: string): string => join(placeEngine(stateDir).folder, 'firewall');

async function readFirewall(table: string): Promise<string | undefined> {
  const { exitCode, stdout } = await execa('nft', ['list', 'table', 'inet', table], { reject: false });
  return exitCode === 0 ? stdout : undefined;
}

export async function removeFirewall(stateDir: string): Promise<void> {
  await execa('nft', ['delete', 'table', 'inet', tableOf(stateDir)], { reject: false });
}

/**
 * Removes the rules and the interfaces of installations whose folder is gone, with which the definitions of their networks
 * went. Interfaces with addresses of a range that a living installation has too stay: ranges are drawn.
 * @param own folder of the installation that starts
 */
export async function removeDeadFirewalls(own: string): Promise<void> {
  const { stdout } = await execa('nft', ['list', 'tables', 'inet']);
  const [dead, living]: [string[], string[]] = [[], [own]];
  for (const [, table = ''] of stdout.matchAll(/^table inet (\S+)$/gm)) {
    if (!table.startsWith(TABLE_PREFIX)) continue;
    const [, folder = ''] = /^\s*comment "(.*)"$/m.exec((await readFirewall(table)) ?? '') ?? [];
    // A name that was cut says nothing about its folder.
    if (folder === '' || folder.length >= LONGEST_COMMENT) continue;
    ((await exists(folder)) ? living : dead).push(folder);
  }
  const inUse = living.map(containerRange);
  const ranges = dead.map(containerRange).filter((range) => !inUse.includes(range));
  // Before the rules: a container that runs on must not reach the host meanwhile.
  if (ranges.length > 0) await removeBridges(ranges.map((range) => range.replace(/0\.0\/16$/, '')));
  for (const folder of dead) await removeFirewall(folder);
}

interface IpInterface {
  ifname: string;
  addr_info: { local: string }[];
}

/** @param beginnings of their addresses */
async function removeBridges(beginnings: readonly string[]): Promise<void> {
  const { stdout } = await execa('ip', ['-json', 'address', 'show', 'type', 'bridge']);
  // This is how iproute2 documents it.
  for (const { ifname, addr_info: addresses } of JSON.parse(stdout) as IpInterface[]) {
    const isDead = addresses.some(({ local }) => beginnings.some((beginning) => local.startsWith(beginning)));
    if (isDead && ifname.startsWith('slipway')) await execa('ip', ['link', 'delete', ifname], { reject: false });
  }
}

/** The host's name servers, which containers use too. Podman reads systemd's list where the usual one names a loopback. */
export async function hostResolvers(): Promise<string[]> {
  const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const named = [...texts.join('\n').matchAll(/^nameserver\s+([0-9a-fA-F.:]+)\s*$/gm)].map(
    ([, address = '']) => address,
  );
  return [...new Set(named)].filter(
    (address) => ipaddr.isValid(address) && ipaddr.parse(address).range() !== 'loopback',
  );
}
