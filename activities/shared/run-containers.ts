import type { EngineDriver } from '../../platform/engines/driver.js';
import { containerName, type RunKind, type RunRef } from '../../platform/kinds/ids.js';

/**
 * Removes the containers of a run by their parts; nothing there is success. One that cannot be removed keeps no other one.
 * @param graceMs the time that a program has to end
 */
export async function removeContainers(
  engine: EngineDriver,
  { kind, ref, graceMs }: { kind: RunKind; ref: RunRef; graceMs?: number },
  parts: readonly (string | undefined)[],
): Promise<void> {
  const remove = async (part: string | undefined): Promise<void> => {
    const handle = { name: containerName(kind, ref, part) };
    if (graceMs !== undefined) await engine.stop(handle, graceMs);
    await engine.remove(handle);
  };
  const ends = await Promise.allSettled(parts.map(remove));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
