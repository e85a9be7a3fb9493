import type { DatasetSpec } from './dataset.js';

/** Caches a value derived from a declaration, one per declaration object. */
export function cacheByDeclaration<Made>(make: (spec: DatasetSpec) => Made): (spec: DatasetSpec) => Made {
  const known = new WeakMap<DatasetSpec, Made>();
  return (spec) => {
    const made = known.get(spec) ?? make(spec);
    known.set(spec, made);
    return made;
  };
}
