import { rowEtag } from '../../reference/rows/row-etag.js';
import type { Watch } from '../kinds/watch.js';
import type { PlatformEvent } from '../../platform/kinds/platform-event.js';
import type { GapEvent } from '../watches/gap-machine.js';
import { THE_SET } from '../watches/observer.js';

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** `<watch>/<entity>/<version that began the gap>`. */
export const gapId = (watch: string, entity: string, gap: number): string => `${watch}/${entity}/${gap}`;

/** Id of the record: whoever finds the same gap comes to the same one. */
export const watchEventKey = (gap: string, kind: GapEvent['kind'], repeat: number): string =>
  `watch/${gap}/${kind}${repeat === 0 ? '' : `/${repeat}`}`;

/** What is told of whom. */
export type EntityGapEvent = GapEvent & {
  /** What people call it. */
  entity: string;
  /** Of the declaration that its rows are read by, where there are rows. */
  generation?: number | undefined;
};

/**
 * The event of something that a watch tells: enough to act upon without a read.
 * @param detectedAt when it was found, by the clock of the finder
 */
export function toWatchEvent(
  { id, spec }: Watch,
  { entity, generation, ...told }: EntityGapEvent,
  detectedAt: Date,
): PlatformEvent {
  const { kind, version, gap, repeat, since, deadline, at, missed } = told;
  const isSet = told.id === THE_SET;
  const gapName = gapId(id, entity, gap);
  const data = {
    watch: id,
    watch_name: spec.name,
    ...('stream' in spec.scope
      ? { stream: spec.scope.stream, types: spec.scope.types }
      : { dataset: spec.scope.dataset }),
    filter: spec.scope.filter,
    ...(!isSet && { entity_id: entity, entity_version: version }),
    ...(!isSet && generation !== undefined && { etag: rowEtag(version, generation) }),
    gap_id: gapName,
    gap_version: gap,
    repeat,
    last_changed_at: timeOf(since),
    deadline: timeOf(deadline),
    due_at: timeOf(at),
    detected_at: detectedAt.toISOString(),
    ...(kind === 'resumed' && { gap_seconds: Math.round((at - since) / 1_000), missed_periods: missed }),
  };
  return {
    key: watchEventKey(gapName, kind, repeat),
    type: `watch.${kind}`,
    source: `/v2/watches/${id}`,
    subject: `${id}/${entity}`,
    version: repeat === 0 ? gap : `${gap}/${repeat}`,
    at: timeOf(at),
    data: JSON.stringify(data),
  };
}
