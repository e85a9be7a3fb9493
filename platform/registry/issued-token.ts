import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import type { SlipwayError } from '../kinds/errors.js';
import { runFailed } from '../kinds/reasons.js';
import { type Attempted, connectionFailed, isTransient, refusedBy } from './failures.js';

/** A short-lived password that a cloud gives for its registry. */
export interface IssuedToken {
  username: string;
  password: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** The request to a registry that failed, as errors name it. */
export type TokenRequest = Omit<Attempted, 'doing'>;

export const attempt = (request: TokenRequest): Attempted => ({ ...request, doing: 'give a token' });

/** A token is renewed this long before its end: what begins with it has the time to end with it. */
const MARGIN_MS = 5 * 60_000;
const MOST = 500;

/** Keeps tokens until shortly before they end. Requests for one that is under way share it; a failure is not kept. */
export function createTokenCache(now: () => number = Date.now) {
  const kept = new Map<string, { token: Promise<IssuedToken>; renewAt: number }>();

  async function issued(key: string, issue: () => Promise<IssuedToken>): Promise<IssuedToken> {
    const entry = { token: issue(), renewAt: Infinity };
    kept.delete(key);
    kept.set(key, entry);
    for (const oldest of kept.keys()) if (kept.size > MOST) kept.delete(oldest);
    try {
      const token = await entry.token;
      // One that lasts shorter than the margin is used for half of its time.
      entry.renewAt = Math.max(token.expiresAt - MARGIN_MS, (now() + token.expiresAt) / 2);
      return token;
    } catch (err) {
      if (kept.get(key) === entry) kept.delete(key);
      throw err;
    }
  }

  return (key: string, issue: () => Promise<IssuedToken>): Promise<IssuedToken> => {
    const entry = kept.get(key);
    return entry !== undefined && now() < entry.renewAt ? entry.token : issued(key, issue);
  };
}

const LIMIT_MS = 8_000;
const Refusal = z.object({ error: z.string().optional(), error_description: z.string().optional() });

/** Posts a form to a token service. @returns the text of its answer. @throws run_failed, unavailable */
export async function postForm(
  url: string,
  fields: Record<string, string>,
  { dispatcher, ...asked }: TokenRequest & { dispatcher?: Dispatcher | undefined },
): Promise<string> {
  const { statusCode, text } = await send(url, fields, dispatcher).catch((cause: unknown) => {
    throw connectionFailed(attempt(asked), cause);
  });
  if (statusCode !== 200) throw refusedBy(attempt(asked), statusCode, wordsOf(text));
  return text;
}

async function send(url: string, fields: Record<string, string>, dispatcher: Dispatcher | undefined) {
  const { statusCode, body } = await request(url, {
    ...{ method: 'POST', dispatcher, headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  return { statusCode, text: await body.text() };
}

/** The identity of the process gets no token: libraries say so at length, with addresses. */
export function identityFailed(asked: TokenRequest, cause: unknown): SlipwayError {
  const failure = connectionFailed(attempt(asked), cause);
  if (isTransient(failure)) return failure;
  const message = `registry ${asked.registry} could not give a token: the platform has no identity that it accepts`;
  return runFailed({ reason: asked.reason, message }, cause);
}

function wordsOf(text: string): string {
  const { error_description, error } = readJson(text, Refusal) ?? {};
  return error_description ?? error ?? text;
}

/** The fields of an answer; `undefined` when it has others. */
export function readJson<T>(text: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
