import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { createHandler, type Handler } from '../../receiver/handler.js';
import { memoryMarkFirst } from '../../receiver/memory.js';
import type { ReceiptStore } from '../../receiver/store.js';
import { type ConnectionFault, type Exchange, type Fault, FAULTS, REFUSALS } from './faults.js';
import type { Oracle } from './oracle.js';
import type { Plan } from './plan.js';

/** How much a receiver does about repeats: nothing, drop them, answer about them too, promise to refuse them too. */
export type Manners = 'plain' | 'dedupes' | 'reads' | 'receipts';

export interface ChaosReceiverOptions {
  manners: Manners;
  oracle: Pick<Oracle, 'note'>;
  plan?: Plan;
  /** How late a late effect comes. */
  lateMs?: number;
  tls?: { key: string; cert: string };
  /** Called with each complete request, before the receiver handles it. */
  onRequest?: (kind: Kind, id: string) => Promise<void> | void;
}
type Kind = 'notice' | 'receipt';

/** The results of one delivery. */
export interface Book {
  posts: number;
  /** Posts that were taken, or may be, although an earlier one may have taken effect, or may yet. */
  repeats: number;
  /** Posts in the same doubt that were refused with a whole answer: the sender knows of them that they did nothing. */
  refusedRepeats: number;
  digests: Set<string>;
  timestamps: number[];
  mayHaveEffect: boolean;
}

const PATH = '/hook';
const AWAY_MS = 50;

/** A receiver that is built of the published one, keeps its promises, and meets every fault of a plan. */
export async function openChaosReceiver(options: ChaosReceiverOptions) {
  const { manners, oracle, plan = {}, lateMs = 30_000, tls, onRequest = () => {} } = options;
  const store = manners === 'plain' ? forgetful : memoryMarkFirst();
  const books = new Map<string, Book>();
  const asked = new Map<string, number>();
  const rawSockets = new WeakMap<object, Socket>();
  const sockets = new Set<Socket>();
  const pending = new Map<Promise<unknown>, string>();
  const faults: Partial<Record<Fault | ConnectionFault, number>> = {};
  let handle: Handler | undefined;
  let connections = 0;
  const inTime = new AbortController();
  let isCalm = true;
  let isClosed = false;

  const count = (fault: Fault | ConnectionFault): void => void (faults[fault] = (faults[fault] ?? 0) + 1);

  function bookOf(id: string): Book {
    const nothing = { posts: 0, repeats: 0, refusedRepeats: 0, timestamps: [], mayHaveEffect: false };
    const book = books.get(id) ?? { ...nothing, digests: new Set() };
    books.set(id, book);
    return book;
  }

  /** Answers a request as the receiver. */
  async function receive(request: IncomingMessage, path: string, body: Buffer) {
    const { method = '', headers } = request;
    const isReceipt = path.startsWith(`${PATH}/receipts/`);
    if (isReceipt && (manners === 'plain' || manners === 'dedupes')) return { status: 404, headers: {}, body: '' };
    if (isReceipt && manners === 'reads' && method === 'PUT') return { status: 405, headers: {}, body: '' };
    const header = (name: string): string | undefined => [headers[name]].flat()[0];
    const reply = await handle?.({ method, path, headers, header, readBody: async () => body });
    // A delivery that the receiver has promised to refuse has no effect any more, also when a request is under way.
    if (isReceipt && method === 'PUT' && reply?.body === '{"state":"refused"}')
      bookOf(header('webhook-id') ?? '').mayHaveEffect = false;
    return reply ?? { status: handle === undefined ? 401 : 404, headers: {}, body: '' };
  }

  async function converse(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const path = request.url ?? '';
    const kind = path === PATH ? 'notice' : 'receipt';
    const id = String(request.headers['webhook-id']);
    const isNotice = kind === 'notice' && id.startsWith('ntc_');
    const nth = (asked.get(`${kind}/${id}`) ?? 0) + 1;
    asked.set(`${kind}/${id}`, nth);
    const fault = isCalm || !id.startsWith('ntc_') ? undefined : plan[kind]?.(id, nth);
    if (isNotice) {
      const book = bookOf(id);
      book.posts += 1;
      const isRefused = fault !== undefined && REFUSALS.includes(fault);
      // A refusal clears up itself and no post before it: the doubt about those stays, and allows one post that counts.
      if (book.mayHaveEffect) book[isRefused ? 'refusedRepeats' : 'repeats'] += 1;
      book.digests.add(digestOf(body));
      book.timestamps.push(Number(request.headers['webhook-timestamp']));
      if (!isRefused) book.mayHaveEffect = true;
    }
    await onRequest(kind, id);
    const socket = rawSockets.get(request.socket) ?? request.socket;
    const take = async (): Promise<void> => void (await receive(request, path, body));
    const exchange: Exchange = {
      ...{ socket, response, nth, take },
      takeLate: async () => {
        await sleep(lateMs, undefined, { signal: inTime.signal }).catch(() => {});
        if (!isClosed) await take();
      },
    };
    if (fault !== undefined) {
      count(fault);
      return FAULTS[fault](exchange);
    }
    const reply = await receive(request, path, body);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  }

  const http = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const work = converse(request, response, Buffer.concat(chunks)).finally(() => pending.delete(work));
      pending.set(work, String(request.headers['webhook-id']));
    });
  });
  http.keepAliveTimeout = 60_000;

  const secureContext = tls && createSecureContext(tls);
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)));
    const fault = isCalm ? undefined : plan.connection?.(connections);
    if (fault !== undefined) {
      count(fault);
      return strike(socket, fault);
    }
    if (secureContext === undefined) return void http.emit('connection', socket);
    const secure = new TLSSocket(socket, { isServer: true, secureContext });
    rawSockets.set(secure, socket);
    secure.on('error', () => {}).once('secure', () => http.emit('connection', secure));
  });

  function strike(socket: Socket, fault: ConnectionFault): void {
    if (fault === 'accept_reset') socket.resetAndDestroy();
    else if (fault === 'tls_failure') socket.end('this is no TLS\r\n');
    else if (fault === 'refuse') {
      socket.resetAndDestroy();
      server.close();
      setTimeout(() => !isClosed && server.listen(port, '127.0.0.1'), AWAY_MS);
    } else socket.pause(); // never read
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}${PATH}`;

  return {
    url,
    receiptUrl: manners === 'reads' || manners === 'receipts' ? `${url}/receipts` : null,
    books: books as ReadonlyMap<string, Book>,
    /** How often each fault struck. */
    faults: faults as Readonly<typeof faults>,
    /** Secrets are known once a subscription is created; before that nothing is believed. */
    trust(...secrets: string[]): void {
      handle = createHandler({
        ...{ path: PATH, secrets, store },
        effect: async ({ subject, sequence }, _, { id, body }) => {
          await oracle.note({ id, subject: String(subject), sequence: Number(sequence), digest: digestOf(body) });
        },
      });
    },
    /** From now on things go wrong. */
    begin: (): void => void (isCalm = false),
    /** Nothing goes wrong any more; what hangs goes on hanging. */
    calm: (): void => void (isCalm = true),
    /** Records that an operator resends this delivery. */
    forgive: (id: string): void => void (bookOf(id).mayHaveEffect = false),
    /** Whether an effect of this one may still come. */
    isBusyWith: (id: string): boolean => [...pending.values()].includes(id),
    /** Applies the late effects now. */
    hurry: (): void => inTime.abort(),
    /** Waits for effects that come late. */
    settle: async (): Promise<void> => void (await Promise.allSettled(pending.keys())),
    close: async (): Promise<void> => {
      isClosed = true;
      inTime.abort();
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
export type ChaosReceiver = Awaited<ReturnType<typeof openChaosReceiver>>;

export const digestOf = (body: Uint8Array | string): string => createHash('sha256').update(body).digest('hex');

/** Everything is new to it, always. */
const forgetful: ReceiptStore<undefined> = {
  guarantee: 'effect_first',
  async take(_, effect) {
    await effect(undefined);
    return 'new';
  },
  refuse: async () => 'refused',
  find: async () => 'unknown',
  purge: async () => {},
};
