import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { SlipwayError, unavailable } from '../kinds/errors.js';
import type { ContainerSpec, EngineDriver } from './driver.js';

/** Prints each address that can be reached, of those in its arguments and of the gateway at the given port. */
const KNOCK = `
import json, socket, struct, sys, threading
port, targets = int(sys.argv[1]), json.loads(sys.argv[2])
for line in open("/proc/net/route").read().splitlines()[1:]:
    fields = line.split()
    if fields[1] == "00000000":
        targets.append([socket.inet_ntoa(struct.pack("<L", int(fields[2], 16))), port])
def knock(host, port):
    try:
        socket.create_connection((host, port), 2).close()
        print("reached " + host, flush=True)
    except OSError:
        pass
threads = [threading.Thread(target=knock, args=target) for target in targets]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("done", flush=True)
`;

/** Where clouds answer with the credentials of the machine. */
const METADATA: readonly [string, number][] = [
  ['169.254.169.254', 80],
  ['168.63.129.16', 80],
];
/** Rules of a firewall may change although no network does. */
const RECHECK_MS = 5 * 60_000;
/** Longer than a check takes: what is older was left by a process that ended. */
const LONGEST_CHECK_MS = 60_000;
export const EGRESS_REMEDY =
  'a firewall on the host of the container engine must refuse connections from the interfaces slipway* to the host and to ' +
  'private addresses (docs/security.md); SLIPWAY_EGRESS_CHECK=warn runs containers all the same';

export interface EgressCheckOptions {
  engine: EngineDriver;
  /** An image with `python3`. */
  image: string;
  warn: (message: string) => void;
  /** Whether containers are refused when an address answers. */
  refuses: boolean;
  /** Gets the result of each check; its failure changes nothing. */
  record?: (finding: { reached: readonly string[]; refuses: boolean }) => Promise<void>;
  /** Every creation of a container waits for a check: one that hangs ends after this time. */
  limitMs?: number;
  now?: () => number;
  /** Addresses of this host; another one is a changed network. */
  hostAddresses?: () => readonly string[];
}

/**
 * An engine that creates a container with a network only after another container, of the profile with the most rights,
 * tried addresses that no container may reach: this host and the metadata of clouds. It is tried again once a network of
 * the engine or an address of the host has changed, and now and then.
 */
export function checkEgress({
  engine,
  image,
  warn,
  refuses,
  record = async () => undefined,
  limitMs = LONGEST_CHECK_MS,
  now = Date.now,
  hostAddresses = addressesBesideBridges,
}: EgressCheckOptions): EngineDriver {
  let last: { at: number; networks: string; reached: Promise<readonly string[]> } | undefined;

  async function check(): Promise<readonly string[]> {
    const reached = await findReachable(engine, image, limitMs);
    await record({ reached, refuses }).catch((err: unknown) =>
      warn(`the check of egress is not on /health: ${String(err)}`),
    );
    return reached;
  }

  async function requireClosed(): Promise<void> {
    // Read before the check: a network that changes meanwhile asks for another one.
    const networks = JSON.stringify([await engine.networks(), hostAddresses()]);
    if (last?.networks !== networks || now() - last.at > RECHECK_MS) last = { at: now(), networks, reached: check() };
    const { reached } = last;
    const found = await reached.catch((err: unknown) => {
      last = undefined; // an engine that is away says nothing about its networks
      throw err;
    });
    if (found.length === 0) return;
    const finding = `containers can reach ${found.join(', ')}: ${EGRESS_REMEDY}`;
    if (!refuses) return warn(finding);
    last = undefined; // the next container may find it mended
    throw unavailable(finding);
  }

  const hasNetwork = ({ network, publish = [] }: ContainerSpec): boolean => network !== 'none' || publish.length > 0;
  return {
    ...engine,
    async create(spec) {
      if (hasNetwork(spec)) await requireClosed();
      return engine.create(spec);
    },
  };
}

/** @returns the addresses of this host and of clouds' metadata that a container reaches; none should be */
export async function findReachable(
  engine: EngineDriver,
  image: string,
  limitMs = LONGEST_CHECK_MS,
): Promise<readonly string[]> {
  const listener = createServer((socket) => void socket.destroy()).listen(0, '0.0.0.0');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const targets = [...METADATA, ...ownAddresses().map((address): [string, number] => [address, port])];
  const name = `slipway-egress-check-${randomUUID().slice(0, 8)}`;
  const labels = { kind: 'egress-check' };
  const startedAt = Date.now();
  try {
    for (const left of await engine.find(labels))
      if (Number(left.labels.started) < startedAt - LONGEST_CHECK_MS) await engine.remove(left);
    await engine.ensureImage(image);
    const { handle } = await engine.create({
      ...{ name, image, command: ['python3', '-c', KNOCK, String(port), JSON.stringify(targets)], env: {} },
      labels: { ...labels, started: String(startedAt) },
      network: 'internet',
      limits: { cpus: 1, memoryBytes: 128 * 2 ** 20 },
    });
    await engine.start(handle);
    const lines: string[] = [];
    const signal = AbortSignal.timeout(limitMs);
    try {
      for await (const { text } of engine.logs(handle, { follow: true, signal })) lines.push(text);
    } catch (err) {
      if (!signal.aborted) throw err;
    }
    if (lines.at(-1) !== 'done')
      throw new SlipwayError('unavailable', `the check of egress ended early: ${lines.join('; ')}`);
    return lines.flatMap((line) => (line.startsWith('reached ') ? [line.slice('reached '.length)] : []));
  } finally {
    listener.close();
    await engine.remove({ name });
  }
}

/** The addresses of this host, as containers could name it; those of some interfaces alone. */
const ownAddresses = (isMeant = (_name: string): boolean => true): string[] =>
  Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal && isMeant(name))
      .map(({ address }) => address),
  );

/** Those of bridges come and go with containers; the engine tells their networks. */
const addressesBesideBridges = (): string[] => ownAddresses((name) => !/^(slipway|veth)/.test(name)).toSorted();
