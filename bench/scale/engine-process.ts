/**
 * A container engine without containers, in a process of its own, and the model servers in its replicas. Arguments: the
 * milliseconds of a resolution of an environment and of a training.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEngine } from './engine.js';
import { createPrograms, MODEL_INFO, STUB_IMAGE, TOOLCHAIN_IMAGE } from './programs.js';

const [resolveMs = 0, trainMs = 0] = process.argv.slice(2).map(Number);
const { listener, containers, counts } = createEngine({
  programOf: createPrograms({ resolveMs, trainMs }),
  isPresent: (image) =>
    !image.startsWith('slipway.local/') || image === TOOLCHAIN_IMAGE || image.startsWith(STUB_IMAGE),
});

/** Answers as the server in the image of the replica that has this address. */
const model: RequestListener = (request, response) => {
  const container = containers.at(request.socket.localAddress ?? '');
  if (container?.status !== 'running') return void request.socket.destroy();
  request.resume();
  counts[request.url ?? ''] = (counts[request.url ?? ''] ?? 0) + 1;
  if (request.url === '/healthz/ready') return void response.end();
  const body = request.url === '/api/model/info' ? MODEL_INFO : JSON.stringify({ image: container.config.Image });
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
};

const [engineAt, modelsAt] = await Promise.all([listen(listener, '127.0.0.1'), listen(model, '0.0.0.0')]);
containers.listenAt(modelsAt);
process.on('message', () => process.send?.({ containers: containers.size, counts }));
process.on('disconnect', () => process.exit());
process.send?.({ host: `http://127.0.0.1:${engineAt}` });

async function listen(answer: RequestListener, host: string): Promise<number> {
  const server: Server = createServer({ keepAliveTimeout: 60_000 }, answer);
  await new Promise<void>((resolve) => server.listen(0, host, 4_096, resolve));
  return (server.address() as AddressInfo).port;
}
