import type { Readable } from 'node:stream';

export interface ObjectInfo {
  key: string;
  sizeBytes: number;
  /** A digest of the bytes, by a method of the store's own: equal for equal objects of one store. */
  checksum: string;
  contentType: string;
  metadata: Readonly<Record<string, string>>;
  updatedAt: string;
}

export interface PutOptions {
  contentType?: string;
  metadata?: Readonly<Record<string, string>>;
  /** `true`: an object that exists already is left as it is, and `created` is false. */
  ifAbsent?: boolean;
}

/** A part of an ordered list: keys from `from` on, and before `to`. */
export interface KeyRange {
  from?: string;
  to?: string;
}

export const isWithin = (key: string, { from, to }: KeyRange): boolean =>
  (from === undefined || key >= from) && (to === undefined || key < to);

export interface ListOptions extends KeyRange {
  /** Content type and metadata too; without it they may be empty, as some stores give them for one object at a time. */
  details?: boolean;
}

/** A part of an object, in bytes; `end` is the first byte that is left out. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * One bucket. Keys have no leading slash, and none is another's folder (`a` beside `a/b`): the embedded store keeps files.
 * Errors: `not_found`, of a put and a list when the bucket is missing; `unavailable` when the store does not answer,
 * after which a put is simply repeated; `storage_refused` for what a repeat does not change; `storage_denied` when it
 * denies access, which an operator can give.
 */
export interface ObjectStore {
  put(key: string, body: Readable | Buffer | string, options?: PutOptions): Promise<{ created: boolean }>;
  open(key: string): Promise<Readable>;
  /** The whole object, or what it has of a part. */
  read(key: string, part?: ByteRange): Promise<Buffer>;
  head(key: string): Promise<ObjectInfo | undefined>;
  /** Ordered by key. */
  list(prefix: string, options?: ListOptions): AsyncIterable<ObjectInfo>;
  remove(key: string): Promise<void>;
}
