import type Docker from 'dockerode';

interface Request {
  path: string;
  /** The answer is handed over as a stream. */
  isStream?: boolean;
  /** A body that is sent as a stream. */
  file?: unknown;
  abortSignal?: AbortSignal;
}
type Done = (err: Error | null, answer?: unknown) => void;

/** The part of dockerode's modem, typed `any` there, by which every call goes. */
interface Modem {
  dial: (request: Request, done: Done) => void;
}

/** Longer than a stop with its grace, or a removal, takes on a busy machine. */
const USUAL_MS = 90_000;
/** Files and images on their way, and the count of the files of all volumes. */
const LONG_MS = 20 * 60_000;

/**
 * Gives each call that its caller cannot abort a limit for its answer: an engine that hangs, or a connection that was lost
 * on its way, gives neither an answer nor an error.
 */
export function limitCalls(docker: Docker, { usualMs = USUAL_MS, longMs = LONG_MS } = {}): Docker {
  const modem = docker.modem as Modem;
  const dial = modem.dial.bind(modem);
  modem.dial = (request, done) => {
    if (request.abortSignal !== undefined) return dial(request, done);
    const isLong = request.isStream || request.file !== undefined || request.path.startsWith('/system/df');
    const limitMs = isLong ? longMs : usualMs;
    const limit = new AbortController();
    const timer = setTimeout(() => {
      // The code of a connection that gets no answer: the call may be repeated.
      const late = Object.assign(new Error(`no answer within ${limitMs} ms`), { code: 'ETIMEDOUT' });
      limit.abort(late);
      settle(late);
    }, limitMs);
    let isSettled = false;
    const settle: Done = (err, answer) => {
      clearTimeout(timer);
      if (!isSettled) done(err, answer);
      isSettled = true;
    };
    dial({ ...request, abortSignal: limit.signal }, settle);
  };
  return docker;
}
