import type { EngineDriver, Handle } from '../../platform/engines/driver.js';

interface DiskLimit {
  engine: Pick<EngineDriver, 'diskBytes'>;
  /** Most disk space of the files of one container. */
  diskBytes: number;
  /** The setting that says so. */
  setting: string;
}

/** Says that the files of a container have passed their limit. A use that cannot be measured is no use. */
export async function diskExcess(handle: Handle, limit: DiskLimit): Promise<string | undefined> {
  const used = await limit.engine.diskBytes(handle).catch(() => undefined);
  if (used === undefined || used <= limit.diskBytes) return undefined;
  const [has, may] = [used, limit.diskBytes].map((bytes) => Number((bytes / 2 ** 30).toFixed(2)));
  return `the files of the container have ${has} GiB, and may have ${may} GiB (${limit.setting})`;
}
