import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { type ApiKey, type ApiKeyRequest, joinApiKey, type KeyChange, splitApiKey } from '../kinds/api-key.js';
import type { LogEntryBase } from '../kinds/log-entry.js';
import { SlipwayError } from '../kinds/errors.js';
import { collections } from './collections.js';
import type { Database, Row } from './database.js';
import { createLogFollower } from './log-follower.js';
import { createStreamLog } from './stream-log.js';

type NewKey = Omit<ApiKeyRequest, 'origins'> & Partial<Pick<ApiKeyRequest, 'origins'>>;
/** A key as it is shown. */
export type ShownKey = Omit<ApiKey, 'secrets'> & { last_used_at: string | null };

/**
 * The keys of the installation, each process with all of them in memory: a check reads no database, and a revocation is known
 * everywhere within a poll of the stream.
 */
export interface ApiKeys {
  /** @returns undefined when the key is unknown, revoked or expired */
  verify(text: string): ApiKey | undefined;
  /** @returns the key's only chance to be seen as a whole */
  issue(request: NewKey, owner: string): Promise<{ key: ShownKey; secret: string }>;
  /** Whether a key may be used by pages of this origin. */
  allowsOrigin(origin: string): boolean;
  list(): Promise<ShownKey[]>;
  get(id: string): Promise<ShownKey>;
  /** A new secret; the one before is good for `overlapSeconds` more. */
  rotate(id: string, overlapSeconds: number, by: string): Promise<{ key: ShownKey; secret: string }>;
  /** @param by its actor, who is kept in the log. @throws key.not_found */
  revoke(id: string, by: string): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ApiKeysOptions {
  database: Database;
  /** Days after which a key is not accepted any more, whatever its own end; rotation does not prolong it. */
  mostDays?: number;
  now?: () => Date;
  onError?: (err: unknown) => void;
}

/** The stream of the keys; no dataset can be called so. */
const STREAM = 'keys';
const SECRET_BYTES = 32;
const DAY_MS = 86_400_000;
const USED_EVERY_MS = 60_000;
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A key with the hashes of its secrets as bytes, as every check needs them. */
interface Known {
  key: ApiKey;
  secrets: ReturnType<typeof toBytes>[];
}
type Entry = LogEntryBase & KeyChange;
type Use = Row & { at: string };

export function createApiKeys(options: ApiKeysOptions): ApiKeys {
  const { database, mostDays = Infinity, now = options.database.now, onError = () => {} } = options;
  const keys = new Map<string, Known>();
  const log = createStreamLog<Entry>({ database, collection: collections.streams, stream: STREAM });
  const follower = createLogFollower<Entry>({ log, apply, now, onError });
  const uses = database.table<Use>(collections.keyUse);
  /** Use since it was last stored. */
  const used = new Map<string, string>();
  let storing: NodeJS.Timeout | undefined;

  function apply(entry: Entry): void {
    if (entry.kind === 'revoked') return void keys.delete(entry.id);
    const key = { ...entry.key, expires_at: endOf(entry.key) };
    keys.set(key.id, { key, secrets: key.secrets.map(toBytes) });
  }

  /** The earlier of the key's own end and that of the longest life. */
  function endOf({ created_at, expires_at }: Pick<ApiKey, 'created_at' | 'expires_at'>): string | null {
    if (mostDays === Infinity) return expires_at;
    const longest = new Date(Date.parse(created_at) + mostDays * DAY_MS).toISOString();
    return expires_at === null || expires_at > longest ? longest : expires_at;
  }

  const isOver = (until: string | null): boolean => until !== null && Date.parse(until) <= now().getTime();

  function find(id: string): ApiKey {
    const known = keys.get(id);
    if (known === undefined) throw new SlipwayError('key.not_found', `there is no key "${id.slice(0, 63)}"`);
    return known.key;
  }

  async function show({ secrets: _, ...key }: ApiKey): Promise<ShownKey> {
    return { ...key, last_used_at: used.get(key.id) ?? (await uses.get(key.id))?.at ?? null };
  }

  async function storeUse(): Promise<void> {
    const rows = [...used].map(([_id, at]) => ({ _id, at }));
    used.clear();
    for (const row of rows) await uses.put(row);
  }

  /** Changes the version of a key that is current when the change is appended. */
  async function put(id: string, by: string, change: (key: ApiKey) => ApiKey): Promise<ApiKey> {
    await follower.append(() => ({ kind: 'put', key: change(find(id)), by }));
    return find(id);
  }

  return {
    verify(text) {
      const parts = splitApiKey(text);
      if (parts === undefined) return undefined;
      const shown = hashOf(parts.secret);
      const known = keys.get(parts.id);
      let matches = false;
      // An unknown key costs the same comparison as a known one.
      for (const secret of known?.secrets ?? NOBODYS) {
        matches = (timingSafeEqual(secret.hash, shown) && !isOver(secret.until)) || matches;
      }
      if (known === undefined || !matches || isOver(known.key.expires_at)) return undefined;
      const { key } = known;
      if (!used.has(key.id)) used.set(key.id, now().toISOString());
      return key;
    },
    async issue({ name, scopes, origins = [], row_filters, expires_at: end }, owner) {
      const secret = newSecret();
      const id = `k${Array.from({ length: 15 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
      const asked = end == null ? null : new Date(end).toISOString();
      const secrets = [{ hash: hashOf(secret).toString('hex'), until: null }];
      const created_at = now().toISOString();
      const expires_at = endOf({ created_at, expires_at: asked });
      if (asked !== null && expires_at !== asked) throw tooLong(mostDays);
      const limits = { ...(origins.length > 0 && { origins: [...origins] }), ...(row_filters && { row_filters }) };
      const own = { id, name, scopes: [...scopes], owner, ...limits };
      const key = { ...own, created_at, expires_at, secrets };
      await follower.append(() => ({ kind: 'put', key, by: owner }));
      return { key: await show(key), secret: joinApiKey(id, secret) };
    },
    allowsOrigin: (origin) => [...keys.values()].some(({ key }) => key.origins?.includes(origin)),
    list: () => Promise.all(Array.from(keys.values(), ({ key }) => show(key))),
    get: async (id) => show(find(id)),
    async rotate(id, overlapSeconds, by) {
      const secret = newSecret();
      const until = new Date(now().getTime() + overlapSeconds * 1_000).toISOString();
      const key = await put(id, by, (current) => {
        const earlier = current.secrets
          .filter((each) => !isOver(each.until))
          .map((each) => ({ ...each, until: each.until ?? until }));
        return { ...current, secrets: [{ hash: hashOf(secret).toString('hex'), until: null }, ...earlier] };
      });
      return { key: await show(key), secret: joinApiKey(id, secret) };
    },
    async revoke(id, by) {
      await follower.append(() => ({ kind: 'revoked', id: find(id).id, by }));
    },
    async start() {
      await follower.catchUp();
      follower.start();
      storing ??= setInterval(() => void storeUse().catch(onError), USED_EVERY_MS).unref();
    },
    async stop() {
      clearInterval(storing);
      await follower.stop();
      await storeUse().catch(onError);
    },
  };
}

function tooLong(days: number): SlipwayError {
  const message = `must be at most ${days} days from now, which is the limit of this installation`;
  const problems = [{ code: 'entity.invalid', pointer: '/expires_at', message }];
  return new SlipwayError('entity.invalid', `expires_at ${message}`, { problems });
}

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
/** The hash of 32 random bytes: nothing to guess, so a plain hash is enough; by way of a text, which takes half the time. */
const hashOf = (secret: string): Buffer => Buffer.from(hash('sha256', secret, 'binary'), 'latin1');
const toBytes = ({ hash, until }: ApiKey['secrets'][number]) => ({ hash: Buffer.from(hash, 'hex'), until });
const NOBODYS = [toBytes({ hash: '0'.repeat(64), until: null })];
