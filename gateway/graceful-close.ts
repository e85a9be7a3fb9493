import type { Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a client may use a connection that it keeps; each reply says that it is the last one. */
const ANNOUNCE_MS = 1_000;
const IDLE_POLL_MS = 50;

interface Prepared {
  /** Replies that are not finished. */
  open: Set<ServerResponse>;
  isClosing: boolean;
}
const prepared = new WeakMap<Server, Prepared>();

/** Called before the server takes its first request. A second call has no effect. */
export function prepareClose(server: Server): void {
  if (prepared.has(server)) return;
  const state: Prepared = { open: new Set(), isClosing: false };
  prepared.set(server, state);
  server.prependListener('request', (_req, res: ServerResponse) => {
    if (state.isClosing) res.shouldKeepAlive = false;
    state.open.add(res);
    res.once('close', () => state.open.delete(res));
  });
}

interface CloseOptions {
  announceMs?: number;
  /** Connections that are open after this time are cut. */
  patienceMs?: number;
}

/**
 * Takes no new connection and ends with the last reply. Every reply from now on has `connection: close`: a client that
 * keeps its connection does not send a request into one that is being closed.
 */
export async function closeGracefully(
  server: Server,
  { announceMs = ANNOUNCE_MS, patienceMs }: CloseOptions = {},
): Promise<void> {
  const state = prepared.get(server);
  if (state !== undefined) {
    state.isClosing = true;
    for (const res of state.open) if (!res.headersSent) res.shouldKeepAlive = false;
  }
  const done = new AbortController();
  // The close of `node:http` ends idle connections at once, which this does later.
  const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
  const cut = patienceMs === undefined ? undefined : setTimeout(() => server.closeAllConnections(), patienceMs).unref();
  const sweep = closeIdle(server, announceMs, done.signal);
  await closed;
  done.abort();
  clearTimeout(cut);
  await sweep;
}

/** A connection that is kept alive gets idle only when its last reply is done: asked again until none is left. */
async function closeIdle(server: Server, announceMs: number, signal: AbortSignal): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  await pause(announceMs);
  server.close(); // also the timer of `node:http`; it listens no longer
  while (!signal.aborted) {
    server.closeIdleConnections();
    await pause(IDLE_POLL_MS);
  }
}
