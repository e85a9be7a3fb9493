import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createBodies, type BodiesOptions } from '../../gateway/body.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { listen, shut, startEdge, startModel, wine } from './edge.js';

/** A server that holds each body until `letGo` is called; the header `x-caller` names the caller. */
async function open(options: BodiesOptions) {
  const bodies = createBodies(options);
  let letGo: () => void = () => {};
  const gone = new Promise<void>((resolve) => (letGo = resolve));
  const { url, server } = await listen((req, res) => {
    bodies.read(req, String(req.headers['x-caller'])).then(
      async ({ release }) => {
        await gone;
        release();
        res.writeHead(200).end();
      },
      (err: unknown) => res.writeHead(err instanceof SlipwayError ? err.status : 500).end(),
    );
  });
  onTestFinished(() => shut(server));
  const post = async (caller: string, bytes: number) =>
    (await fetch(url, { method: 'POST', body: 'x'.repeat(bytes), headers: { 'x-caller': caller } })).status;
  return { url, post, letGo };
}

test('one caller holds a share of the memory, and leaves the rest to others', async () => {
  const { post, letGo } = await open({ limitBytes: 1_000, totalBytes: 10_000, callerBytes: 2_000 });
  const held = [post('ann', 900), post('ann', 900)];
  await sleep(100);
  expect(await post('ann', 900)).toBe(503);
  const others = Array.from({ length: 5 }, (_, n) => post(`caller-${n}`, 900));
  await sleep(100);
  letGo();
  expect(await Promise.all([...held, ...others])).toEqual(Array(7).fill(200));
  expect(await Promise.all([post('ann', 900), post('ann', 900)])).toEqual([200, 200]);
});

test('a body that arrives too slowly is refused, and its memory is free', async () => {
  const { url, post, letGo } = await open({
    limitBytes: 1_000,
    totalBytes: 1_000,
    callerBytes: 1_000,
    patienceMs: 100,
  });
  letGo();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = 'POST / HTTP/1.1\r\nhost: x\r\nx-caller: ann\r\ncontent-length: 900\r\n\r\n';
  socket.write(head + 'x'.repeat(600));
  const [reply] = (await once(socket, 'data')) as [Buffer];
  expect(String(reply)).toMatch(/^HTTP\/1\.1 408 /);
  expect(await post('ann', 900)).toBe(200);
});

test('a gateway closes connections beyond its limit, and takes new ones when others end', async () => {
  const model = await startModel(() => ({ body: '{}' }));
  const edge = await startEdge([wine([model.url])], { maxConnections: 2 });
  const { port } = new URL(edge.url);
  const opened: Socket[] = [];
  const dial = async (): Promise<Socket> => {
    const socket = connect(Number(port), '127.0.0.1');
    opened.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  await dial();
  await dial();
  const third = await dial();
  await once(third, 'close');
  for (const socket of opened) socket.destroy();
  await sleep(50);
  expect((await edge.invoke('{}')).status).toBe(200);
  await edge.stop();
  await model.stop();
});
