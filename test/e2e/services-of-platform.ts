import { networkInterfaces } from 'node:os';
import type { TestPlatform } from './platform.js';

/** Prints each target that answers: those given, and their ports at the gateway of the container. */
const KNOCK = `
import json, socket, struct, sys, threading
targets = json.loads(sys.argv[1])
for line in open("/proc/net/route").read().splitlines()[1:]:
    fields = line.split()
    if fields[1] == "00000000":
        gateway = socket.inet_ntoa(struct.pack("<L", int(fields[2], 16)))
        targets += [[gateway, port] for port in {port for _, port in targets}]
def knock(host, port):
    try:
        socket.create_connection((host, port), 2).close()
        print("reached", host, port, flush=True)
    except OSError:
        pass
threads = [threading.Thread(target=knock, args=target) for target in targets]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("tried", len(targets))
`;

/** The command that tries every service of the platform, at each address of this host, and the metadata of clouds. */
export function knockAtServices({ environment }: TestPlatform): { command: string[]; targets: number } {
  const addresses = ['MONGODB_URI', 'STORAGE_API_ENDPOINT', 'OIDC_ISSUER', 'TEMPORAL_ADDRESS', 'SLIPWAY_REGISTRY']
    .flatMap((name) => environment[name] ?? [])
    .map((address) => /:(\d+)(?:\/|$)/.exec(address.replace(/^\w+:\/\//, ''))?.[1]);
  const own = ['GATEWAY', 'API', 'API_INTERNAL', 'GATEWAY_INTERNAL', 'WORKER_INTERNAL'].map(
    (name) => environment[`SLIPWAY_${name}_PORT`],
  );
  const ports = [...addresses, ...own].filter((port) => port !== undefined).map(Number);
  const hosts = Object.values(networkInterfaces()).flatMap((each = []) =>
    each.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  );
  const targets = [
    ...hosts.flatMap((host) => ports.map((port) => [host, port])),
    ...['169.254.169.254', '168.63.129.16'].map((host) => [host, 80]),
  ];
  return { command: ['python', '-c', KNOCK, JSON.stringify(targets)], targets: targets.length };
}
