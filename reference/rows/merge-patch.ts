import { isRecord } from '../../platform/kinds/lenient.js';

/** Applies a JSON merge patch (RFC 7396): members of the patch replace those of the target, `null` removes one. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map(Object.entries(isRecord(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  // Not by assignment: a member may be called `__proto__`.
  return Object.fromEntries(merged);
}
