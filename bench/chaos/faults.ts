import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request that came whole, in the hands of a fault. */
export interface Exchange {
  /** Under everything else: a reset of it is a reset of the connection. */
  socket: Socket;
  response: ServerResponse;
  /** Lets the receiver take the request, with whatever effect it has. */
  take: () => Promise<void>;
  /** As `take`, after a time that is longer than any sender waits. */
  takeLate: () => Promise<void>;
  /** How often this notice, or its receipt, was asked for: 1 at first. */
  nth: number;
}
type Behave = (exchange: Exchange) => Promise<void> | void;

const DRIP_MS = 500;

const raw = ({ response }: Exchange, text: string, { end = false } = {}): void => {
  response.socket?.write(text);
  if (end) response.socket?.end();
};
const status =
  (code: number, headers: () => Record<string, string> = () => ({})): Behave =>
  ({ response }) =>
    void response.writeHead(code, headers()).end();
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();

function drip(exchange: Exchange): void {
  const letters = [...'HTTP/1.1 200 OK but without an end of the line '.repeat(10)];
  const timer = setInterval(() => raw(exchange, letters.shift() ?? ' '), DRIP_MS);
  exchange.socket.once('close', () => clearInterval(timer));
}

async function endless(exchange: Exchange): Promise<void> {
  await exchange.take();
  raw(exchange, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
  const more = setInterval(() => raw(exchange, `1000\r\n${'x'.repeat(0x1000)}\r\n`), 5);
  exchange.socket.once('close', () => clearInterval(more));
}

/** The faults of a request that has arrived completely. */
// prettier-ignore
export const FAULTS = {
  hang:            () => {},
  reset:           ({ socket }) => void socket.resetAndDestroy(),
  commit_reset:    async ({ take, socket }) => { await take(); socket.resetAndDestroy(); },
  commit_silence:  ({ take }) => take(),
  commit_late:     ({ takeLate }) => takeLate(),
  commit_cut:      async (exchange) => { await exchange.take(); raw(exchange, 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', { end: true }); },
  garbage:         (exchange) => raw(exchange, 'this is no HTTP\r\n\r\n', { end: true }),
  hints:           (exchange) => raw(exchange, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  drip,
  endless,
  moved:           status(301, () => ({ location: '/elsewhere' })),
  bad_request:     status(400),
  gone:            status(410),
  failing:         status(500),
  busy_seconds:    status(429, () => ({ 'retry-after': '1' })),
  busy_date:       status(429, () => ({ 'retry-after': inSeconds(2) })),
  away_seconds:    status(503, () => ({ 'retry-after': '1' })),
  away_date:       status(503, () => ({ 'retry-after': inSeconds(2) })),
} as const satisfies Record<string, Behave>;
export type Fault = keyof typeof FAULTS;

/** A whole answer that is a refusal: the sender may come again without doubt. */
export const REFUSALS: readonly Fault[] = [
  'moved',
  'bad_request',
  'gone',
  'failing',
  'busy_seconds',
  'busy_date',
  'away_seconds',
  'away_date',
];

/** A fault of a connection before a request is read from it; `refuse`: no process listens for a moment. */
export type ConnectionFault = 'refuse' | 'accept_reset' | 'no_reading' | 'tls_failure' | 'tls_hang';
