import type { LogEntryBase } from './log-entry.js';

/**
 * Something that happened outside of datasets. It is made of what is stored already, so everybody who meets that makes the
 * same of it; however often it is placed in its stream, it counts once.
 */
export interface PlatformEvent {
  /** The unique key of the event: `pipeline/ModelTraining/wine-3/5`. */
  key: string;
  /** Such as `pipeline.training.succeeded`. */
  type: string;
  source: string;
  /** Such as `training/wine-3`: events about the same subject are emitted in their order. */
  subject: string;
  /** Version of the subject when it happened: part of the event's id. */
  version: number | string;
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  /** JSON text. */
  data: string;
}

/** Version of the form of platform events: raised with every change of it. */
export const PLATFORM_VERSION = 1;

/** Streams beside those of datasets, by the first part of their types; no dataset can be called so. */
export const PLATFORM_STREAMS = ['pipeline', 'watch', 'ops'] as const;
export type PlatformStream = (typeof PLATFORM_STREAMS)[number];

export const isPlatformStream = (name: string): name is PlatformStream =>
  PLATFORM_STREAMS.some((stream) => stream === name);

export const platformStreamOf = (type: string): PlatformStream | undefined =>
  PLATFORM_STREAMS.find((stream) => type.startsWith(`${stream}.`));

/** @param repeated a copy: the event has its place elsewhere in the stream */
export type EventEntry = LogEntryBase & { kind: 'event'; event: PlatformEvent; repeated?: true };
/** The content of the entries of any stream. */
