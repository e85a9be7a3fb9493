/** A stored row: all members besides `_id` must be JSON (a key may hold any character). */
export interface Row {
  _id: string;
}

/** The member at `path` (names joined by dots) is one of these texts. */
export interface Condition {
  path: string;
  in: readonly string[];
}

export interface PageQuery {
  /** All of them hold. */
  where: readonly Condition[];
  skip: number;
  limit: number;
}

/**
 * One collection, reduced to what MongoDB and the embedded server both do well: point reads and writes by `_id`,
 * inserts that lose against an existing `_id`, and ordered reads. Every store is written against these operations, so
 * memory and MongoDB run the same protocol. All throw `unavailable` when the database does not answer; after a write
 * that leaves it open whether the write happened.
 */
export interface Table<R extends Row> {
  get(id: string): Promise<R | undefined>;
  /** @returns false when the `_id` is taken */
  insert(row: R): Promise<boolean>;
  /** Inserts many rows at once, unordered; @returns the `_id`s that were taken */
  insertAll(rows: readonly R[]): Promise<string[]>;
  /** Writes the whole row, whether or not it exists. */
  put(row: R): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes many rows in this order with few round trips; after a failure, the later ones may be left. */
  removeAll(ids: readonly string[]): Promise<void>;
  /**
   * Reads all rows, ordered by `_id` (bytewise): the embedded server reads all of them even if the caller stops early.
   */
  scan(options?: { descending?: boolean }): AsyncIterable<R>;
  /** Reads these members of every row, unordered: for tables that are too large to be sorted. */
  members<Name extends keyof R & string>(names: readonly Name[]): AsyncIterable<Pick<R, Name | '_id'>>;
  /** Reads one page of the rows that match, ordered by `_id`; the embedded server reads all rows for it, three times. */
  page(query: PageQuery): Promise<{ rows: R[]; total: number }>;
}

export interface Database {
  table<R extends Row>(name: string): Table<R>;
  /** @throws unavailable */
  ping(): Promise<void>;
  /** The time of the server's clock, which all processes of an installation share: deadlines and logs go by it. */
  now: () => Date;
  /** Whether the server has no indexes beside `_id`, as the embedded one: every other query reads all rows. @throws unavailable */
  scans(): Promise<boolean>;
  /** Creates an index unless there is one of its name. @throws unavailable */
  createIndex(index: { collection: string; name: string; members: readonly string[] }): Promise<void>;
  /** @throws unavailable */
  indexNames(collection: string): Promise<string[]>;
  close(): Promise<void>;
}
