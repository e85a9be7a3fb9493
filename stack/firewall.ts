import { execa } from 'execa';
import { BRIDGE_PREFIX } from '../platform/engines/docker/networks.js';

const CONTAINERS = `${BRIDGE_PREFIX}+`;
const RULES = [
  // A container must not begin a connection to the host itself, where services may listen on every address.
  // Replies, outgoing traffic (forwarded, not input) and published ports are untouched.
  ['filter', 'INPUT', '-i', CONTAINERS, '-m', 'conntrack', '--ctstate', 'NEW', '-j', 'REJECT'],
  // One network to another. Podman has such a rule too, but netavark 1.4 removes it for a moment whenever it sets up a
  // network, and for good when another installation on this host removes its last one. It also puts rules that accept
  // at the head of the filter table, so this rule is in a table that the kernel asks first and netavark leaves alone.
  ['mangle', 'FORWARD', '-i', CONTAINERS, '-o', CONTAINERS, '-j', 'DROP'],
] as const;

/** Keeps containers of isolated networks from this host's services and from each other, for every installation on it. */
export async function shieldHost(): Promise<void> {
  for (const [table, chain, ...rule] of RULES) {
    const iptables = (action: string, reject: boolean) =>
      execa('iptables', ['--wait', '--table', table, action, chain, ...rule], { reject });
    const { exitCode } = await iptables('-C', false);
    if (exitCode !== 0) await iptables('-I', true);
  }
}
