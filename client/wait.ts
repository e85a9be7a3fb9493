import { setTimeout as sleep } from 'node:timers/promises';
import { SlipwayApiError } from './errors.js';
import type { Entity, Kind } from './kinds.js';
import { outcomeOf } from './outcome.js';
import type { Reader } from './reader.js';
import { createPatience } from './patience.js';
import type { PatienceOptions } from './patience.js';

export interface WaitOptions<K extends Kind> extends PatienceOptions {
  /** Called for every revision. */
  onChange?: (entity: Entity<K>) => void;
  timeoutMs?: number | undefined;
  pollMs?: number;
}

/**
 * Waits until an entity has succeeded or failed; a server that restarts meanwhile only delays it.
 * @returns the entity at its end, whichever it is
 * @throws timeout; not_found when it is deleted
 */
export async function waitFor<K extends Kind>(
  entities: Pick<Reader<K>, 'getChanged'>,
  id: string,
  options: WaitOptions<K> = {},
): Promise<Entity<K>> {
  const { onChange, signal, timeoutMs, pollMs = 1_000, now = Date.now } = options;
  const { pause = (ms, signal) => sleep(ms, undefined, { signal }) } = options;
  const patience = createPatience(options);
  const deadline = timeoutMs === undefined ? Infinity : now() + timeoutMs;
  let etag: string | undefined;
  for (;;) {
    const changed = await patience.call(() => entities.getChanged(id, etag, { signal }));
    if (changed !== undefined) {
      etag = changed.etag;
      onChange?.(changed.entity);
      if (outcomeOf(changed.entity) !== 'pending') return changed.entity;
    }
    if (now() >= deadline) throw new SlipwayApiError('timeout', `"${id}" has not come to an end in time`);
    await pause(Math.min(pollMs, deadline - now()), signal);
  }
}
