import type { EngineDriver, Handle } from '../../platform/engines/driver.js';

/**
 * Removes containers; one that is gone is removed already, and one that cannot be removed keeps no other one.
 * @param graceMs the time that a program has to end
 */
export async function removeContainers(
  engine: EngineDriver,
  containers: readonly Handle[],
  { graceMs }: { graceMs?: number } = {},
): Promise<void> {
  const remove = async (handle: Handle): Promise<void> => {
    if (graceMs !== undefined) await engine.stop(handle, graceMs);
    await engine.remove(handle);
  };
  const ends = await Promise.allSettled(containers.map(remove));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
