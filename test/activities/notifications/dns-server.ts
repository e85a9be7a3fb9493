import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';

/** Opens a name server on its own port: each query for an IPv4 address gets the next of these answers. */
export async function startDnsServer(answers: readonly (readonly string[])[]) {
  const socket = createSocket('udp4');
  const state = { asked: 0 };
  socket.on('message', (question, { address, port }) => {
    const answer = answers[Math.min(state.asked, answers.length - 1)] ?? [];
    state.asked += 1;
    socket.send(reply(question, answer), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    state,
    resolve: (hostname: string) => resolver.resolve4(hostname),
    close: () => new Promise<void>((done) => socket.close(() => done())),
  };
}

const HEADER_BYTES = 12;

/** RFC 1035, section 4: the question again, and its addresses with a lifetime of zero. */
function reply(question: Buffer, addresses: readonly string[]): Buffer {
  const questionEnd = question.indexOf(0, HEADER_BYTES) + 5; // the name, its type and class
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([header, question.subarray(HEADER_BYTES, questionEnd), ...records]);
}
