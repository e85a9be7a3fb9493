import { text } from 'node:stream/consumers';
import type { EngineDriver } from '../driver.js';
import type { EngineContext } from './context.js';
import { call } from './errors.js';
import { inspectContainer } from './inspect.js';
import { requestStream } from './request.js';

interface VolumeUse {
  Name: string;
  UsageData?: { Size: number } | null;
}

type SizesByVolume = ReadonlyMap<string, number>;

/** The engine counts the files of all volumes at once: those who ask at the same time share one count. */
const FRESH_MS = 10_000;

/** Disk space of containers, as the engine counts it: no program can hide its files from it. */
export function createDiskUse(context: EngineContext): Pick<EngineDriver, 'diskBytes'> {
  let last: { at: number; sizes: Promise<SizesByVolume> } | undefined;

  async function measure(): Promise<SizesByVolume> {
    // dockerode's own call has the engine count images as well.
    const request = { method: 'GET', path: '/system/df', query: { type: 'volume' } } as const;
    const answer = await call('measure the volumes', async () => text(await requestStream(context.docker, request)));
    const volumes = (JSON.parse(answer ?? '{}') as { Volumes?: VolumeUse[] | null }).Volumes ?? [];
    return new Map(volumes.map(({ Name, UsageData }) => [Name, Math.max(0, UsageData?.Size ?? 0)]));
  }

  function sizes(): Promise<SizesByVolume> {
    if (last === undefined || Date.now() - last.at > FRESH_MS) last = { at: Date.now(), sizes: measure() };
    return last.sizes;
  }

  return {
    async diskBytes({ name }) {
      const info = await inspectContainer(context, name);
      if (info === undefined) return undefined;
      const found = await sizes();
      return info.Mounts.reduce((sum, { Name }) => sum + (found.get(Name ?? '') ?? 0), 0);
    },
  };
}
