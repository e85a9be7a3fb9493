import { expect, test } from 'vitest';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventually, launch, run, shell, type Subject } from './harness.js';

const SERVER = 'import http.server as h; h.test(h.SimpleHTTPRequestHandler, port=8000)';
const ADDRESS = "awk '/32 host/ {print a} {a=$2}' /proc/net/fib_trie | grep -v ^127 | head -1";
const reach = (target: string): string =>
  `python3 -c 'import socket; socket.create_connection((${target}), 2)' >/dev/null 2>&1 && echo reached || echo refused`;

export function networkContract(subject: Subject): void {
  const { engine, image } = subject;

  const serve = () =>
    launch(subject, {
      ...shell(image, '', { network: 'internet', publish: [8000], workingDir: '/usr' }),
      command: ['python3', '-c', SERVER],
    });

  async function publishedAt(name: string): Promise<string> {
    const state = await engine.state({ name });
    if (state?.phase !== 'running') throw new Error('the server does not run');
    return state.ports[8000] ?? '';
  }

  async function answers(address: string): Promise<void> {
    await eventually(async () => (await fetch(`http://${address}/`).catch(() => undefined))?.ok || undefined);
  }

  test('ports are published on loopback where the engine has room, so two replicas fit on one host', async () => {
    const addresses = [await publishedAt((await serve()).name), await publishedAt((await serve()).name)];
    for (const address of addresses) {
      expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
      await answers(address);
    }
    expect(new Set(addresses).size).toBe(2);
  });

  test('a paused container has its port back afterwards', async () => {
    const handle = await serve();
    const address = await publishedAt(handle.name);
    await answers(address);
    await engine.pause(handle);
    await engine.unpause(handle);
    expect(await publishedAt(handle.name)).toBe(address);
    await answers(address);
  });

  test('the networks that are listed are the same beside containers that come and go', async () => {
    const server = await serve(); // Docker makes its network for all of them now
    const before = await engine.networks();
    const other = await serve();
    expect(await engine.networks()).toEqual(before);
    for (const handle of [server, other]) await engine.remove(handle);
    expect(await engine.networks()).toEqual(before);
    expect(before).not.toEqual([]);
  });

  test('a container with internet has a way out and none to another container', async () => {
    const server = await serve();
    await answers(await publishedAt(server.name));
    const { output } = await engine.exec(server, ['sh', '-c', ADDRESS], { timeoutMs: 60_000 });
    const ip = output.trim();
    expect(ip).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    // The server is there, on this address, for whoever may reach it.
    await answers(`${ip}:8000`);
    const gateway = 'awk \'$2 == "00000000" {print "way out"}\' /proc/net/route';
    const { lines } = await run(subject, `${gateway}; ${reach(`"${ip}", 8000`)}`, { network: 'internet' });
    expect(lines).toEqual(['way out', 'refused']);
  });

  test('a service on the loopback of the host is out of reach', async () => {
    const service = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo;
    const gateway = `python3 -c 'for l in open("/proc/net/route").readlines()[1:]:
  f = l.split()
  if f[1] == "00000000": print(".".join(str(b) for b in bytes.fromhex(f[2])[::-1]))'`;
    const script = `gw=$(${gateway}); echo $gw; ${reach(`"'$gw'", ${port}`)}; ${reach(`"127.0.0.1", ${port}`)}`;
    const { lines } = await run(subject, script, { network: 'internet' });
    expect(lines[0]).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(lines.slice(1)).toEqual(['refused', 'refused']);
    await new Promise((resolve) => service.close(resolve));
  });

  test('without a network there is the own loopback and nothing else', async () => {
    const { lines } = await run(
      subject,
      'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "; tail -n +2 /proc/net/route',
    );
    expect(lines).toEqual(['lo']);
  });
}
