import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { request } from 'undici';
import { createPublicAgent, type PublicAgentOptions } from '../../../platform/outbound/public-agent.js';
import { parseNetwork } from '../../../platform/kinds/network-addresses.js';
import { requireWebhookAddresses } from '../../../notifications/kinds/webhook-address.js';
import { startDnsServer } from '../../activities/notifications/dns-server.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

// Two addresses of this machine: one plays a public address, the other a forbidden one.
const [WORLD, INSIDE] = ['127.0.0.2', '127.0.0.1'];
const policy = { networks: [parseNetwork(WORLD)].flatMap((network) => network ?? []) };

async function startServer(host: string, port = 0, headers: Record<string, string> = {}) {
  const got: string[] = [];
  const server = createServer((req, res) => {
    got.push(`${req.method} ${req.headers.host}${req.url}`);
    res.writeHead(headers.location === undefined ? 200 : 307, { connection: 'close', ...headers }).end();
  });
  server.listen(port, host);
  await once(server, 'listening');
  closing.push(() => new Promise((done) => server.close(done)));
  return { got, port: (server.address() as AddressInfo).port };
}

/** Two servers on one port of both addresses: what is free on the one need not be so on the other. */
async function startBoth(): Promise<[Server, Server]> {
  for (;;) {
    const world = await startServer(WORLD);
    const inside = await startServer(INSIDE, world.port).catch((err: NodeJS.ErrnoException) => {
      if (err.code !== 'EADDRINUSE') throw err;
    });
    if (inside !== undefined) return [world, inside];
  }
}
type Server = Awaited<ReturnType<typeof startServer>>;

function createPost(options: Partial<PublicAgentOptions> = {}) {
  const dispatcher = createPublicAgent({ policy, ...options });
  closing.push(() => dispatcher.close());
  return async (url: string): Promise<number> => {
    const reply = await request(url, { method: 'POST', body: '{}', dispatcher });
    await reply.body.dump();
    return reply.statusCode;
  };
}

async function startDns(...answers: string[][]) {
  const server = await startDnsServer(answers);
  closing.push(server.close);
  return server;
}

const refused = { code: 'url.not_allowed', retryable: false };

test('a name that changes its address gains nothing: it is asked for once per attempt, and that answer is used', async () => {
  const [world, inside] = await startBoth();
  const dns = await startDns([WORLD], [WORLD], [INSIDE]);
  const url = `http://rebind.example:${world.port}/hook`;
  const registration = { policy: { ...policy, http: true, ports: 'any' as const }, resolve: dns.resolve };
  await requireWebhookAddresses({ url }, registration);
  const post = createPost({ resolve: dns.resolve });

  expect(await post(url)).toBe(200);
  expect(dns.state.asked).toBe(2);
  expect(world.got).toEqual([`POST rebind.example:${world.port}/hook`]); // the name is kept for the receiver

  await expect(post(url)).rejects.toMatchObject(refused);
  await expect(post(url)).rejects.toThrow('rebind.example resolves to 127.0.0.1, a loopback address');
  expect(dns.state.asked).toBe(4);
  expect([world.got.length, inside.got.length]).toEqual([1, 0]);
});

test('one refused address among several refuses the name', async () => {
  const [world, inside] = await startBoth();
  const dns = await startDns([WORLD, INSIDE]);
  const url = `http://both.example:${world.port}/`;
  await expect(createPost({ resolve: dns.resolve })(url)).rejects.toMatchObject(refused);
  expect([world.got, inside.got]).toEqual([[], []]);
});

test('a redirect inside is an answer like any other, and is not followed', async () => {
  const inside = await startServer(INSIDE);
  const world = await startServer(WORLD, 0, { location: `http://${INSIDE}:${inside.port}/` });
  expect(await createPost()(`http://${WORLD}:${world.port}/`)).toBe(307);
  expect([world.got.length, inside.got.length]).toEqual([1, 0]);
});

test.each(['127.0.0.1', '127.1', '2130706433', '0x7f.0.0.1', '0177.0.0.1', '[::ffff:127.0.0.1]', '[::1]', 'localhost'])(
  'nothing is sent to %s, by the rules alone',
  async (host) => {
    const inside = await startServer(INSIDE);
    await expect(createPost()(`http://${host}:${inside.port}/`)).rejects.toMatchObject(refused);
    expect(inside.got).toEqual([]);
  },
);

test('the name of a server with a certificate is judged the same way', async () => {
  const dns = await startDns([INSIDE]);
  await expect(createPost({ resolve: dns.resolve })('https://rebind.example/')).rejects.toMatchObject(refused);
  await expect(createPost()('https://127.0.0.1/')).rejects.toMatchObject(refused);
});

test('proxies of the environment are not used', async () => {
  const world = await startServer(WORLD);
  const proxy = await startServer(INSIDE);
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = `http://${INSIDE}:${proxy.port}`;
  try {
    expect(await createPost()(`http://${WORLD}:${world.port}/`)).toBe(200);
  } finally {
    names.forEach((name, at) => {
      if (before[at] === undefined) delete process.env[name];
      else process.env[name] = before[at];
    });
  }
  expect([world.got.length, proxy.got.length]).toEqual([1, 0]);
});

test('a name without address, and a name server that is silent, fail before anything is sent', async () => {
  const post = createPost({ resolve: async () => [] });
  await expect(post('http://gone.example/')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  const deaf = createPost({ resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ETIMEOUT' })) });
  await expect(deaf('http://gone.example/')).rejects.toMatchObject({ code: 'ETIMEOUT' });
});

test('the server inside does answer who may ask it', async () => {
  const inside = await startServer(INSIDE);
  const socket = connect(inside.port, INSIDE);
  socket.end('GET / HTTP/1.0\r\n\r\n');
  expect(String(await once(socket, 'data'))).toContain('200');
  expect(inside.got).toHaveLength(1);
});
