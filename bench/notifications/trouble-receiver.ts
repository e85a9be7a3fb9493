/**
 * Receivers in a process of their own: under `/good` each notice is answered and its age noted, under `/plain` it is only
 * answered, under the name of a fault every notice meets that fault. Probes are answered everywhere.
 */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Fault, FAULTS } from '../chaos/faults.js';

const ages: number[] = [];
let troubled = 0;
const server = createServer((request, response) => {
  const at = Date.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const name = request.url?.slice(1) ?? '';
    const isNotice = String(request.headers['webhook-id']).startsWith('ntc_');
    const fault = isNotice && isFault(name) ? FAULTS[name] : undefined;
    const take = async (): Promise<void> => {};
    if (fault !== undefined) {
      troubled += 1;
      return void fault({ socket: request.socket, response, nth: 1, take, takeLate: take });
    }
    if (isNotice && name === 'good') {
      const { time } = JSON.parse(Buffer.concat(chunks).toString()) as { time: string };
      ages.push(at - Date.parse(time));
    }
    response.end();
  });
});
server.on('connection', (socket: Socket) => socket.on('error', () => {}));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.on('message', (what) => {
  if (what !== 'take') return;
  process.send?.({ ages: ages.splice(0), troubled });
  troubled = 0;
});
process.on('disconnect', () => process.exit());

function isFault(name: string): name is Fault {
  return Object.hasOwn(FAULTS, name);
}
