import { z } from 'zod';
import { isScope, SCOPE_WORDS } from './scope.js';

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const MOST_FILTER_CHARACTERS = 8_192;

/** The body of a request for a key. */
export const ApiKeyRequest = z.strictObject({
  name: z.string('must be text').trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
  scopes: z
    .array(z.string('must be text').refine(isScope, `must be ${SCOPE_WORDS}`), 'must be a list')
    .min(1, 'must have at least one scope')
    .max(100, 'must have at most 100 scopes'),
  /** Origins of pages; the key is then accepted from these alone. */
  origins: z
    .array(z.string('must be text').refine(isOrigin, 'must be an origin such as https://shop.example.com'))
    .max(20, 'must have at most 20 origins')
    .default([]),
  /** Filters by dataset: the key reads and writes only the rows that match. */
  row_filters: z
    .record(z.string(), z.string('must be a filter').max(MOST_FILTER_CHARACTERS, 'is too long'), 'must be an object')
    .refine((filters) => Object.keys(filters).length <= 20, 'must have at most 20 datasets')
    .refine((filters) => Object.keys(filters).length > 0, 'must have a dataset: leave it out for no filter')
    .optional(),
  expires_at: z.iso.datetime({ offset: true, error: 'must be a time such as 2027-01-31T12:00:00Z' }).nullish(),
});
export type ApiKeyRequest = z.output<typeof ApiKeyRequest>;

/** A key as it is stored: never its secret. */
export interface ApiKey {
  id: string;
  name: string;
  scopes: string[];
  owner: string;
  /** Keys of earlier versions have none. */
  origins?: string[];
  /** Filters by dataset; absent: every row. */
  row_filters?: Record<string, string>;
  created_at: string;
  expires_at: string | null;
  /** SHA-256 (hex) of each secret that is good, the newest first; an earlier one only until its time. */
  secrets: { hash: string; until: string | null }[];
}

/** Changes of keys, in one order for every process. */
export type KeyChange = ({ kind: 'put'; key: ApiKey } | { kind: 'revoked'; id: string }) & {
  /** The actor; entries of earlier versions have none. */
  by?: string;
};

const FORM = /^slp_(k[0-9a-z]{15})_([A-Za-z0-9_-]{43})$/;

/** `slp_<key id>_<secret>`. @returns undefined for any other text */
export function splitApiKey(text: string): { id: string; secret: string } | undefined {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id !== undefined && secret !== undefined ? { id, secret } : undefined;
}
export const joinApiKey = (id: string, secret: string): string => `slp_${id}_${secret}`;
