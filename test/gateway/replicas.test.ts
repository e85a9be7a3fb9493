import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer as createTcp, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { eventually, startEdge, startModel, wine } from './edge.js';

const INVOKE = '{"columns":["a"],"data":[[1]]}';

/** A replica as a process of its own, so that it can be killed. It says its port, then `got` for each request. */
async function startReplica(answer: string) {
  const program = `
    const { createServer } = require('node:http');
    const server = createServer((req, res) => req.on('data', () => {}).on('end', () => { console.log('got'); ${answer} }));
    server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port));`;
  const child = spawn(process.execPath, ['-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await eventually(() => output.includes('port '));
  const url = `http://127.0.0.1:${/port (\d+)/.exec(output)?.[1] ?? ''}`;
  return { url, child, heard: () => output.split('got').length - 1, said: (word: string) => output.includes(word) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('a replica killed while it works on a request: another one answers it', async () => {
  const dying = await startReplica('/* never answers */');
  const living = await startModel(() => ({ body: '{"from":"living"}' }));
  const edge = await startEdge([wine([dying.url, living.url])]);
  const answers = [edge.invoke(INVOKE), edge.invoke(INVOKE)];
  await eventually(() => dying.heard() === 1);
  await kill(dying.child);
  for (const one of await Promise.all(answers)) {
    expect([one.status, await one.text()]).toEqual([200, '{"from":"living"}']);
  }
  expect(living.calls).toHaveLength(2);
  await edge.stop();
  await living.stop();
});

test('a replica killed after its first byte is not replaced: the client sees a broken reply, not a whole one', async () => {
  const dying = await startReplica(`res.writeHead(200, { 'content-length': 200000 }); res.write('x'.repeat(100000));`);
  const other = await startModel();
  const edge = await startEdge([wine([dying.url])]);
  const reply = await edge.invoke(INVOKE);
  expect(reply.status).toBe(200);
  edge.table.set('wine', wine([dying.url, other.url]));
  // The expectation comes first, as the text is rejected while the replica is still being killed.
  const read = expect(reply.text()).rejects.toThrow();
  await kill(dying.child);
  await read;
  expect(other.calls).toHaveLength(0);
  await edge.stop();
  await other.stop();
});

test('a replica killed within a small reply gives a 502 instead of a torso', async () => {
  const dying = await startReplica(
    `res.writeHead(200, { 'content-length': 20 }); res.write('{"predic', () => console.log('written'));`,
  );
  const other = await startModel();
  const edge = await startEdge([wine([dying.url])]);
  const answer = edge.invoke(INVOKE);
  await eventually(() => dying.said('written')); // its first bytes are on their way
  await kill(dying.child);
  const reply = await answer;
  expect(reply.status).toBe(502);
  expect(await reply.json()).toEqual({ message: 'the replica broke off its reply' });
  expect(reply.headers.get('model-name')).toBe('wine model');
  await edge.stop();
  await other.stop();
});

test('a request that breaks every replica reaches two of them, not all', async () => {
  let broken = 0;
  const replicas = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const server = createTcp((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          broken += 1;
          socket.resetAndDestroy();
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const edge = await startEdge([
    wine(replicas.map((one) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`)),
  ]);
  const reply = await edge.invoke(INVOKE);
  expect(reply.status).toBe(502);
  expect(broken).toBe(2);
  await edge.stop();
  for (const one of replicas) one.close();
});

test('replicas that cannot be reached are passed over; when none can, it is a 503', async () => {
  const [gone, model] = [await startModel(), await startModel()];
  await gone.stop();
  const edge = await startEdge([wine([gone.url, model.url]), wine([gone.url], { id: 'dead' })]);
  for (let n = 0; n < 10; n += 1) expect((await edge.invoke(INVOKE)).status).toBe(200);
  const reply = await edge.invoke(INVOKE, {}, 'dead');
  expect(reply.status).toBe(503);
  expect(await reply.json()).toEqual({ message: 'no replica of the deployment can be reached' });
  await edge.stop();
  await model.stop();
});

test('the replica with the fewest requests in flight gets the next one', async () => {
  const open: (() => void)[] = [];
  const slow = await startModel(() => new Promise((resolve) => open.push(() => resolve({ body: '{}' }))));
  const fast = await startModel(() => ({ body: '{}' }));
  const edge = await startEdge([wine([slow.url, fast.url])]);
  const both = [edge.invoke(INVOKE), edge.invoke(INVOKE)];
  await eventually(() => slow.calls.length === 1 && fast.calls.length === 1);
  for (let n = 0; n < 20; n += 1) expect((await edge.invoke(INVOKE)).status).toBe(200);
  expect(slow.calls.length).toBeLessThanOrEqual(1);
  expect(fast.calls).toHaveLength(21);
  for (const release of open) release();
  await Promise.all(both);
  await edge.stop();
  await slow.stop();
  await fast.stop();
});

test('a client that leaves takes its request at the replica with it', async () => {
  let left = false;
  const model = await startModel(() => new Promise(() => undefined));
  model.server.on('request', (_req, res) => res.on('close', () => (left = true)));
  const edge = await startEdge([wine([model.url])]);
  const { hostname, port } = new URL(edge.url);
  const client = connect(Number(port), hostname);
  client.write(
    `POST /model/wine/api/model/invoke HTTP/1.1\r\nhost: x\r\nauthorization: ${edge.authorization}\r\ncontent-length: 2\r\n\r\n{}`,
  );
  await eventually(() => model.calls.length === 1);
  client.destroy();
  await eventually(() => left);
  await eventually(async () => /slipway_inflight\{[^}]*\} 0\n/.test(await edge.metrics()));
  await edge.stop();
  await model.stop();
});

test('a slow client holds no replica while it writes, and slows the model while it reads', async () => {
  const size = 64 * 1024 * 1024;
  let sent = 0;
  const model = await startModel();
  model.server.removeAllListeners('request');
  model.server.on('request', (_req, res) => {
    res.writeHead(200, { 'content-length': size });
    const more = (): void => {
      while (sent < size) {
        sent += 65_536;
        if (!res.write(Buffer.alloc(65_536))) return void res.once('drain', more);
      }
      res.end();
    };
    more();
  });
  const edge = await startEdge([wine([model.url])]);
  const { hostname, port } = new URL(edge.url);
  const client = connect(Number(port), hostname);
  client.write(
    `POST /model/wine/api/model/invoke HTTP/1.1\r\nhost: x\r\nauthorization: ${edge.authorization}\r\ncontent-length: 4\r\n\r\n{}`,
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sent).toBe(0); // half of the body: nothing was sent on
  client.write('  ');
  client.pause();
  await eventually(() => sent > 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(sent).toBeLessThan(size / 2); // socket buffers, not our memory
  let got = 0;
  client.on('data', (chunk: Buffer) => (got += chunk.length)).resume();
  await eventually(() => got > size);
  client.destroy();
  await edge.stop();
  await model.stop();
});
