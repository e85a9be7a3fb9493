import type { DatasetSpec } from './dataset.js';

/** What is made of a declaration is made once. */
export function perDeclaration<Made>(make: (spec: DatasetSpec) => Made): (spec: DatasetSpec) => Made {
  const known = new WeakMap<DatasetSpec, Made>();
  return (spec) => {
    const made = known.get(spec) ?? make(spec);
    known.set(spec, made);
    return made;
  };
}
