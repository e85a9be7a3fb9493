import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { connectDatabase, openDatabase } from '../../../platform/stores/mongo-database.js';

const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013];
const HEADER_BYTES = 16;
const STATE = { ok: 1, isWritablePrimary: true, maxWireVersion: 21, minWireVersion: 0, localTime: new Date() };

/** Answers the driver's questions for its state, and refuses everything else with one code. */
async function startServer(code: number): Promise<string> {
  const answer = (asked: number, isState: boolean, replyTo: number): Buffer => {
    const body = BSON.serialize(isState ? STATE : { ok: 0, code, errmsg: 'refused' });
    const isQuery = asked === OP_QUERY;
    const prefix = Buffer.alloc(isQuery ? 20 : 5);
    if (isQuery) prefix.writeInt32LE(1, 16); // one document
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeInt32LE(HEADER_BYTES + prefix.length + body.length, 0);
    header.writeInt32LE(replyTo, 8);
    header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
    return Buffer.concat([header, prefix, body]);
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (message) => {
      const text = message.toString('latin1');
      const isState = /hello|ismaster/i.test(text);
      socket.write(answer(message.readInt32LE(12), isState, message.readInt32LE(4)));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  [18, 'the database refused the user of MONGODB_URI: check its name, password and rights'],
  [13, 'the database refused the user of MONGODB_URI: check its name, password and rights'],
  [59, 'the database refused a command'],
])('a server that refuses with code %i is not one that is away', async (code, message) => {
  const address = await startServer(code);
  const connected = connectDatabase(`mongodb://user:hidden@${address}/?authMechanism=SCRAM-SHA-256`, 'slipway');
  await expect(connected).rejects.toMatchObject({ code: 'internal', message });
});

test.each(['localhost', 'mongodb://', 'mongodb://user:hid%zzden@host/'])('the URI %s names its setting', (uri) => {
  expect(() => openDatabase(uri, 'slipway')).toThrow(
    expect.objectContaining({ code: 'validation_failed', message: expect.stringMatching(/^MONGODB_URI is invalid: /) }),
  );
  expect(() => openDatabase(uri, 'slipway')).not.toThrow(/hid/);
});
