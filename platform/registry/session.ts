import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import type { RegistryAuth } from '../engines/driver.js';
import type { Reason } from '../kinds/reasons.js';
import { mayHaveCredentials } from '../outbound/token-realm.js';
import { type RepositoryAddress, repositoryAddress } from './address.js';
import { connectionFailed, isLate, isTransient, refusedBy } from './failures.js';

export interface SessionOptions {
  /** Full name of the repository, without tag and digest. */
  name: string;
  /** Credentials for this registry; no other host gets them. */
  auth?: RegistryAuth;
  signal: AbortSignal;
  /** The reason of a run that gives up. */
  reason: Reason;
  /** Where connections may go; default: anywhere. */
  dispatcher?: Dispatcher;
  /** Pauses before the repeats of a request that failed for now, in milliseconds. */
  pausesMs?: readonly number[];
  /** How long a registry may take to answer a request that changes nothing. */
  readMs?: number;
}

export interface Ask {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Relative to the API of the repository, or a whole address that the registry gave. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** A stream is opened for each attempt. */
  body?: Buffer | (() => Readable);
  /** Another repository of the registry to read from. */
  from?: string;
  /** Completes "registry x could not ...". */
  doing: string;
}

export interface Answer {
  status: number;
  header: (name: string) => string | undefined;
  /** The address that answered. */
  url: URL;
  body: Dispatcher.ResponseData['body'];
}

export type Session = ReturnType<typeof createSession>;

const PAUSES_MS = [200, 1_000, 3_000];
const READ_MS = 30_000;
/** A registry before an object storage may take minutes to end the upload of a large layer. */
const WRITE_MS = 300_000;
const IDLE_MS = 60_000;
const isRead = (method: Ask['method']): boolean => method === 'GET' || method === 'HEAD';
const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Requests to one repository (OCI distribution specification 1.1), with the token flow of registries. Credentials and
 * tokens go to the registry and its realm only.
 */
export function createSession(options: SessionOptions) {
  const { name, auth, signal, reason, dispatcher, pausesMs = PAUSES_MS, readMs = READ_MS } = options;
  const address = repositoryAddress(name);
  const { registry, base } = address;
  async function basic(): Promise<string | undefined> {
    const { username, password } = (await auth?.renewed?.()) ?? auth ?? {};
    return username === undefined ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }
  const tokens = new Map<string, string>();

  async function send(url: URL, { method, headers, body, doing }: Ask, authorization?: string): Promise<Answer> {
    try {
      const headersTimeout = isRead(method) ? readMs : WRITE_MS;
      const reply = await request(url, {
        ...{ method, signal, dispatcher, headersTimeout, bodyTimeout: IDLE_MS },
        body: typeof body === 'function' ? body() : body,
        headers: { ...headers, ...(authorization !== undefined && { authorization }) },
      });
      const header = (key: string): string | undefined => [reply.headers[key]].flat()[0];
      return { status: reply.statusCode, header, url, body: reply.body };
    } catch (cause) {
      signal.throwIfAborted();
      throw connectionFailed({ registry, doing, reason }, cause);
    }
  }

  /** One request; an answer that asks for a token is answered with one. */
  async function ask(wanted: Ask): Promise<Answer> {
    const url = ownAddress(address, wanted.url);
    if (url.origin !== base.origin) return send(url, wanted);
    const key = `${isRead(wanted.method) ? 'pull' : 'push'} ${wanted.from ?? ''}`;
    const answer = await send(url, wanted, tokens.get(key) ?? (await basic()));
    const challenge = answer.header('www-authenticate') ?? '';
    if (answer.status !== 401 || !/^bearer /i.test(challenge)) return answer;
    await answer.body.dump();
    tokens.set(key, await fetchToken(challenge, wanted));
    return send(url, wanted, tokens.get(key));
  }

  /** A token of the realm that the challenge names (distribution's token authentication). */
  async function fetchToken(challenge: string, { from, doing }: Ask): Promise<string> {
    const field = (key: string): string => new RegExp(`${key}="([^"]*)"`).exec(challenge)?.[1] ?? '';
    const realm = field('realm');
    if (!URL.canParse(realm)) throw refusedBy({ registry, doing, reason }, 401, `the token realm "${realm}" is no url`);
    const url = new URL(realm);
    const scopes = [field('scope'), ...(from === undefined ? [] : [`repository:${from}:pull`])];
    url.searchParams.set('service', field('service'));
    for (const scope of scopes) if (scope !== '') url.searchParams.append('scope', scope);
    const credentials = mayHaveCredentials(realm, base.host) ? await basic() : undefined;
    const answer = await send(url, { method: 'GET', url: realm, doing }, credentials);
    const text = await textOf(answer);
    if (answer.status !== 200) throw refusedBy({ registry, doing, reason }, answer.status, text);
    return `Bearer ${tokenIn(text)}`;
  }

  /**
   * A request that can be repeated, until it has an answer that is no failure for now. One that got none in time is not
   * repeated here: its run gives up its place for others, and comes again.
   */
  async function askPatiently(wanted: Ask, follow = false): Promise<Answer> {
    for (const pauseMs of [...pausesMs, undefined]) {
      try {
        const answer = await (follow ? askFollowing(wanted) : ask(wanted));
        if (answer.status !== 429 && answer.status < 500) return answer;
        throw await refuse(answer, wanted.doing);
      } catch (err) {
        if (pauseMs === undefined || !isTransient(err) || isLate(err)) throw err;
        await sleep(pauseMs, undefined, { signal });
      }
    }
    throw new Error('unreachable'); // the last pause is undefined
  }

  /** Follows redirects, as to the object storage behind a registry, which get no credentials. */
  async function askFollowing(wanted: Ask): Promise<Answer> {
    let answer = await ask(wanted);
    for (let count = 0; REDIRECTS.includes(answer.status) && count < MOST_REDIRECTS; count += 1) {
      await answer.body.dump();
      const next = new URL(answer.header('location') ?? '', answer.url);
      const isDowngrade = answer.url.protocol === 'https:' && next.protocol !== 'https:';
      if (isDowngrade) throw refusedBy({ registry, doing: wanted.doing, reason }, answer.status, 'a redirect to http');
      answer = next.origin === base.origin ? await ask({ ...wanted, url: next.href }) : await send(next, wanted);
    }
    return answer;
  }

  async function refuse(answer: Answer, doing: string): Promise<Error> {
    return refusedBy({ registry, doing, reason }, answer.status, await textOf(answer));
  }

  return { ...address, signal, reason, pausesMs, ask, askPatiently, refuse };
}

/** The address that a registry gave, which behind a proxy may not know that it is reached by https. */
function ownAddress({ base }: RepositoryAddress, url: string): URL {
  const target = new URL(url, base);
  if (base.protocol === 'https:' && target.host === base.host) target.protocol = 'https:';
  return target;
}

const MOST_TEXT = 2 ** 16;

/** The begin of a small body; the rest is dropped. */
async function textOf({ body }: Answer): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += String(chunk);
    if (text.length > MOST_TEXT) break;
  }
  return text;
}

function tokenIn(text: string): string {
  try {
    const { token, access_token } = JSON.parse(text) as { token?: string; access_token?: string };
    return token ?? access_token ?? '';
  } catch {
    return '';
  }
}
