import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver } from '../../platform/engines/driver.js';
import type { JobKind } from '../../platform/kinds/ids.js';

interface PlacesOptions {
  engine: Pick<EngineDriver, 'find'>;
  /** The kind of the containers that are counted. */
  kind: JobKind;
  /** Containers that may run at once on the engine. */
  most: number;
  pollMs?: number;
}

interface Turn {
  /** Name of the container. */
  name: string;
  signal: AbortSignal;
  /** Called once when there is no place yet. */
  onWait: () => Promise<unknown>;
}

/**
 * Starts programs while fewer than `most` run; the others of this worker wait in the order in which they came. Another
 * worker on the same engine may be at the same count: then one or two more run for a while.
 */
export function createContainerPlaces({ engine, kind, most, pollMs = 1_000 }: PlacesOptions) {
  const waiting: string[] = [];
  /** Not running yet, but soon. */
  const starting = new Set<string>();

  async function isFree(name: string): Promise<boolean> {
    if (waiting[0] !== name) return false;
    const found = await engine.find({ kind });
    const running = found.filter((each) => each.running && each.labels.part === undefined).map((each) => each.name);
    const taken = new Set([...running, ...starting]);
    return taken.has(name) || taken.size < most;
  }

  return async function startInPlace({ name, signal, onWait }: Turn, start: () => Promise<void>): Promise<void> {
    waiting.push(name);
    try {
      for (let polls = 0; !(await isFree(name)); polls += 1) {
        if (polls === 0) await onWait();
        await sleep(pollMs, undefined, { signal });
      }
      starting.add(name);
    } finally {
      waiting.splice(waiting.indexOf(name), 1);
    }
    try {
      await start();
    } finally {
      starting.delete(name);
    }
  };
}
