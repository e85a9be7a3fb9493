import type { Dispatcher } from 'undici';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { ClientGone } from './body.js';
import { errorCode } from './error-code.js';
import type { HeaderList } from './headers.js';
import type { Lease } from './replicas.js';
import type { Reply } from './reply.js';
import type { Waiting } from './waiting-queue.js';

/** A request as it goes to a replica. */
export interface Forwarding {
  method: string;
  /** Path and query. */
  target: string;
  headers: HeaderList;
  body: Buffer;
}

export interface Forward {
  endpoint: Endpoint;
  request: Forwarding;
  reply: Reply;
  /** Gives the request a replica, at once or later; see the waiting queue for its errors. */
  take: (endpoint: Endpoint, tried: ReadonlySet<string>) => Lease | Waiting;
  /** For the answer, from the moment at which a replica gets the request. */
  timeoutMs: number;
  /** Registers what is to be done when the client leaves. */
  onGone: (abort: () => void) => void;
  /** Called with each replica that gets the request. */
  onTry: (lease: Lease) => void;
}

/** At most so many replicas see a request; a request that broke one off is given to only one more: it may be the cause. */
const MAX_TRIES = 3;
const MAX_BREAKS = 2;

/**
 * Sends a request to the replica with the fewest in flight and its answer to the client. Another replica is asked only
 * while nothing was answered, and never because of what was answered.
 * @throws no_replica when none could be reached, RouteReplaced, bad_gateway when one broke off, gateway_timeout, ClientGone
 */
export async function forward({ endpoint, request, reply, take, timeoutMs, onGone, onTry }: Forward): Promise<void> {
  const tried = new Set<string>();
  let current: Pick<Attempt, 'abort'> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped: Error | undefined;
  const stop = (reason: Error): void => {
    stopped ??= reason;
    current?.abort(stopped);
  };
  const startTimer = (): NodeJS.Timeout =>
    setTimeout(() => {
      stop(new SlipwayError('gateway_timeout', `the model did not answer within ${Math.round(timeoutMs) / 1_000} s`));
    }, timeoutMs);
  /** The replica of the next try; a call that waits for one can be stopped. */
  const awaitLease = async (given: Lease | Waiting): Promise<Lease> => {
    if ('pool' in given) return given;
    current = { abort: given.leave };
    return given.lease;
  };
  onGone(() => stop(new ClientGone()));
  try {
    for (let tries = 1, breaks = 0; ; tries += 1) {
      const lease = await awaitLease(take(endpoint, tried));
      timer ??= startTimer();
      tried.add(lease.replica.url);
      onTry(lease);
      const under = attempt(lease, request, reply);
      current = under;
      const failure = await under.done;
      lease.release(failure === undefined || stopped !== undefined || isRefused(failure.cause) ? 'answered' : 'failed');
      if (stopped !== undefined && failure !== undefined) throw stopped;
      if (failure === undefined) return;
      if (failure.sent) breaks += 1;
      if (failure.answered || isRefused(failure.cause) || tries >= MAX_TRIES || breaks >= MAX_BREAKS) {
        const { cause } = failure;
        if (isRefused(cause)) throw new SlipwayError('validation_failed', 'the request cannot be forwarded', { cause });
        if (breaks > 0) throw new SlipwayError('bad_gateway', 'the replica broke off its reply', { cause });
        throw new SlipwayError('no_replica', 'no replica of the deployment can be reached', { cause });
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

interface Failure {
  /** Whether a byte of the request may have reached the replica, and whether it began to answer. */
  sent: boolean;
  answered: boolean;
  cause: unknown;
}

interface Attempt {
  /** Why it failed, if it did. */
  done: Promise<Failure | undefined>;
  abort: (reason: Error) => void;
}

function attempt({ pool }: Lease, { method, target, headers, body }: Forwarding, reply: Reply): Attempt {
  let controller: Dispatcher.DispatchController | undefined;
  let answered = false;
  let aborted: Error | undefined;
  const done = new Promise<Failure | undefined>((resolve) => {
    const fail = (cause: unknown): void => resolve({ sent: controller !== undefined, answered, cause });
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(given) {
        controller = given;
        if (aborted !== undefined) given.abort(aborted);
      },
      onResponseStart(given, status) {
        if (status < 200) return;
        answered = true;
        reply.onDrain(() => given.resume());
        reply.start(status, given.rawHeaders);
      },
      onResponseData(given, chunk) {
        if (!reply.write(chunk)) given.pause();
      },
      onResponseEnd() {
        controller = undefined; // nothing left to abort
        resolve(undefined);
      },
      onResponseError: (_given, err) => fail(err),
    };
    const options = {
      method,
      path: target,
      headers,
      body: body.length > 0 ? body : null,
    };
    try {
      pool.dispatch(options, handler);
    } catch (err) {
      fail(err);
    }
  });
  return {
    done,
    abort(reason) {
      aborted = reason;
      controller?.abort(reason);
    },
  };
}

/** undici sends nothing that is not valid HTTP: the caller's mistake, not the replica's. */
function isRefused(cause: unknown): boolean {
  return ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED'].includes(String(errorCode(cause)));
}
