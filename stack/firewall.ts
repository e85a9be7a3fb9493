import { execa } from 'execa';
import { BRIDGE_PREFIX } from '../platform/engines/docker/networks.js';

const CONTAINERS = `${BRIDGE_PREFIX}+`;
const RULES = [
  // What a container may not begin: a connection to the host itself, where services may listen on every address.
  // Replies, outgoing traffic (forwarded, not input) and published ports are untouched.
  ['INPUT', '-i', CONTAINERS, '-m', 'conntrack', '--ctstate', 'NEW', '-j', 'REJECT'],
  // One network to another: podman's own rule says so too, but netavark 1.4 takes it away for a moment whenever it sets
  // up a network.
  ['FORWARD', '-i', CONTAINERS, '-o', CONTAINERS, '-j', 'REJECT'],
] as const;

/** Keeps containers of isolated networks from this host's services and from each other, for every installation on it. */
export async function shieldHost(): Promise<void> {
  for (const [chain, ...rule] of RULES) {
    const { exitCode } = await execa('iptables', ['--wait', '-C', chain, ...rule], { reject: false });
    if (exitCode !== 0) await execa('iptables', ['--wait', '-I', chain, ...rule]);
  }
}
