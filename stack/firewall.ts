import { execa } from 'execa';
import { BRIDGE_PREFIX } from '../engines/docker/networks.js';

// What a container may not begin: a connection to the host itself, where services may listen on every address.
// Replies, outgoing traffic (forwarded, not input) and published ports are untouched.
const RULE = ['-i', `${BRIDGE_PREFIX}+`, '-m', 'conntrack', '--ctstate', 'NEW', '-j', 'REJECT'];

/** Keeps containers of isolated networks from the services of this host; one rule for every installation on it. */
export async function shieldHost(): Promise<void> {
  const { exitCode } = await execa('iptables', ['--wait', '-C', 'INPUT', ...RULE], { reject: false });
  if (exitCode !== 0) await execa('iptables', ['--wait', '-I', 'INPUT', ...RULE]);
}
