/** A receiver in a process of its own: says when the first byte of each notice came. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const arrivals: [id: string, at: number][] = [];
const server = createServer((request, response) => {
  const id = String(request.headers['webhook-id']);
  if (id.startsWith('ntc_')) arrivals.push([id, Date.now()]); // not a probe
  request.resume().on('end', () => response.end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
});
process.on('message', (what) => {
  if (what === 'take') process.send?.({ arrivals: arrivals.splice(0) });
});
process.on('disconnect', () => process.exit());
