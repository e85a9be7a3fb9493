import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayError } from '../../kinds/errors.js';
import type { Reason } from '../../kinds/reasons.js';
import { engineFailed } from '../refusal.js';

/** An error of dockerode: an HTTP status with the engine's text, or the error of the connection. */
interface EngineFault {
  statusCode?: number;
  json?: { message?: string } | null;
  code?: string;
  message: string;
}

const NO_ANSWER = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

// Engines give no codes for these; podman answers 500 to all of them.
// prettier-ignore
const REASON_BY_TEXT: readonly (readonly [RegExp, Reason])[] = [
  [/no such image|image not known/i,                                          'ImagePullFailed'],
  [/executable file not found|exec: |exec format error|not executable/i,      'ToolchainFailed'],
  [/no space left|cannot allocate memory|address already in use|all predefined address pools/i, 'NoCapacity'],
];

function faultOf(err: unknown): EngineFault {
  // By shape: errors of node's own parts can be of another realm than our `Error`.
  return typeof err === 'object' && err !== null && 'message' in err ? (err as EngineFault) : { message: String(err) };
}

export const statusOf = (err: unknown): number | undefined => faultOf(err).statusCode;

export function textOf(err: unknown): string {
  const { json, message } = faultOf(err);
  return json?.message ?? message.replace(/^\(HTTP code \d+\) /, '');
}

/** The only place where an error of the engine becomes one of ours. `doing` completes "engine could not ...". */
export function toEngineError(err: unknown, doing: string, reason?: Reason): unknown {
  if (err instanceof SlipwayError) return err;
  const { statusCode, code } = faultOf(err);
  if (statusCode === undefined && code !== undefined && NO_ANSWER.has(code)) {
    const publicMessage = 'the container engine does not answer';
    return new SlipwayError('unavailable', `${publicMessage} (${code})`, { publicMessage, cause: err });
  }
  if (statusCode === undefined) return err;
  const text = textOf(err);
  const found = reason ?? REASON_BY_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? 'Internal';
  return engineFailed(doing, text, { reason: found }, err);
}

const ATTEMPTS = 5;
const PAUSE_MS = 20;
// Podman 4.3 answers 500 where a process ends, or its container goes, between its own look and what it does about it.
const RACE = /no such process|container state improper|does not exist in database|container not known/;

/**
 * Runs one call of the engine, again where that lost a race against the container's own end; statuses in `fine` are
 * answers, not errors, and give `undefined`.
 */
export async function call<T>(
  doing: string,
  run: () => Promise<T>,
  { fine = [], reason, signal }: { fine?: readonly number[]; reason?: Reason; signal?: AbortSignal } = {},
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (err) {
      signal?.throwIfAborted();
      const status = statusOf(err);
      if (status !== undefined && fine.includes(status)) return undefined;
      if (attempt === ATTEMPTS || !RACE.test(textOf(err))) throw toEngineError(err, doing, reason);
      await sleep(PAUSE_MS * attempt);
    }
  }
}
