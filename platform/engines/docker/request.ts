import type { IncomingMessage } from 'node:http';
import type Docker from 'dockerode';

type Query = Readonly<Record<string, string | number | boolean>>;

type Request = {
  path: string;
  signal?: AbortSignal;
} & ({ method: 'GET'; query: Query } | { method: 'POST'; query?: Query; body: Readonly<Record<string, unknown>> });

/** The part of dockerode's modem, typed `any` there, that we use. */
interface Modem {
  dial: (options: object, done: (err: Error | null, answer: IncomingMessage) => void) => void;
}

/** One call that dockerode has no method for; the answer is handed over as a stream, so its size does not matter. */
export function requestStream(docker: Docker, request: Request): Promise<IncomingMessage> {
  const { method, path, signal } = request;
  const modem = docker.modem as Modem;
  const options = {
    method,
    // The question mark tells the modem that there is a query.
    path: request.query ? `${path}?` : path,
    options: request.method === 'GET' ? { _query: request.query } : { _query: request.query, _body: request.body },
    isStream: true,
    abortSignal: signal,
    statusCodes: { 200: true, 201: true },
  };
  return new Promise((resolve, reject) => {
    modem.dial(options, (err, answer) => (err ? reject(err) : resolve(answer)));
  });
}
