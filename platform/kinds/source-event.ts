/** How much of an entity a notice carries. */
export const PAYLOADS = ['full', 'changed', 'ids'] as const;
export type Payload = (typeof PAYLOADS)[number];

/** Something that happened, as a stream tells it and before any subscription does. */
export interface SourceEvent {
  /** The same in every process: a hash of stream, subject, version and type. */
  id: string;
  /** Such as `dataset.positions.updated`. */
  type: string;
  /** Name of the stream, such as that of a dataset. */
  stream: string;
  /** Position of its entry, and its place among the events of that entry. */
  position: number;
  index: number;
  /** Version of the schema of its data; absent where it is not known. */
  schemaVersion?: number;
  /** Path where its data are read when they are too large to be sent. */
  ref: string;
  /** Path of what it is an event of, such as `/v2/datasets/positions`. */
  source: string;
  /** Id of the subject, such as an entity id. */
  subject: string;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  /** JSON text: ids and integers keep all their digits. */
  data(payload: Payload): string;
  /** The fields for filters; absent where the type has none. */
  row?: () => Readonly<Record<string, unknown>>;
}
