import { gapEvent } from '../../notifications/events/ops-events.js';
import { isHeldAfter, type DatasetLogBeginning } from '../../reference/dataset/log-beginning.js';
import type { Change } from '../../reference/dataset/change.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import type { SourcePosition } from '../../notifications/kinds/outbox-event.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';

/** The entries of one stream by position; `undefined` after its end. */
export interface EventStream {
  read(position: number): Promise<StreamEntry | undefined>;
  /** Returns the beginning of the stream, at most `mostMs` old, by default a minute; absent where all entries are kept. */
  beginning?(mostMs?: number): Promise<DatasetLogBeginning>;
}

/** A stream that a process follows. */
export interface TailedStream extends EventStream {
  /** Reads also after the end that the process knows of. */
  readOn(position: number): Promise<StreamEntry | undefined>;
}

type SchemaEntry = StreamEntry & { kind: 'schema' };

export const declaredBy = ({ spec, schema, position }: SchemaEntry): DeclaredFields => ({
  fields: spec.fields,
  generation: schema,
  position,
});

/** Returns the position after an entry. */
export function positionAfter({ heldFrom, declaredAt }: SourcePosition, entry: StreamEntry): SourcePosition {
  const { kind, position } = entry;
  const declared = kind === 'schema' ? position : declaredAt;
  return {
    position,
    index: 0,
    ...(isHeldAfter(entry, heldFrom !== undefined) && { heldFrom: heldFrom ?? position }),
    ...(declared !== undefined && { declaredAt: declared }),
  };
}

/**
 * Finds the position after purged entries; changes that an import holds back from there on wait for its release.
 * @returns `undefined` when no entry was purged
 */
export async function findGap(stream: string, source: SourcePosition, log: EventStream, at: string) {
  const { purgedTo, declared, isHeld } = (await log.beginning?.()) ?? { purgedTo: 0 };
  if (purgedTo <= source.position) return undefined;
  // Changes that were read and held back were not emitted either.
  const event = gapEvent({ stream, after: source.heldFrom ?? source.position, through: purgedTo, at });
  const next: SourcePosition = {
    position: purgedTo,
    index: 0,
    ...(isHeld && { heldFrom: purgedTo }),
    ...(declared?.position !== undefined && { declaredAt: declared.position }),
  };
  return { event, source: next, declared };
}

/** Reads the changes that an import held back until its release, from its hold or from the beginning of the log on. */
export async function releasedAt(log: EventStream, { heldFrom }: SourcePosition, end: number): Promise<Change[]> {
  if (heldFrom === undefined) return [];
  const found: Change[][] = [];
  for (let position = end - 1; position > 0; position -= 1) {
    const entry = await log.read(position);
    if (entry === undefined || entry.kind === 'hold') break;
    if (entry.kind === 'changes') found.push(entry.changes);
  }
  return found.toReversed().flat();
}

/**
 * Finds the declaration in force at a position: its entry may be far back, or purged with everything before it.
 * @returns `undefined` while it cannot be read; `declared` is absent when it is lost
 */
export async function recallDeclaration(
  log: EventStream,
  declaredAt: number,
): Promise<{ declared: DeclaredFields | undefined } | undefined> {
  const entry = await log.read(declaredAt);
  if (entry?.kind === 'schema') return { declared: declaredBy(entry) };
  const { purgedTo, declared } = (await log.beginning?.(0)) ?? { purgedTo: 0 };
  if (purgedTo < declaredAt) return undefined;
  return { declared: declared?.position === declaredAt ? declared : undefined };
}
