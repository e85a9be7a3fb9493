/** An installed package. */
export interface PackageVersion {
  name: string;
  version: string;
}

/** Packages of lines `name==version --hash=...`; without extras, and under the normalized name of PEP 503. */
export function packagesOfLock(lines: readonly string[]): PackageVersion[] {
  return lines.flatMap((line) => {
    const [, name, version] = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)/.exec(line) ?? [];
    return name === undefined || version === undefined ? [] : [{ name: normalized(name), version }];
  });
}

/**
 * Packages of a lock that uv wrote for many versions of Python: those whose marker holds.
 * @param python `3.11`
 */
export function packagesFor(python: string, lock: string): PackageVersion[] {
  const lines = lock.split('\n').filter((line) => /^[A-Za-z0-9]/.test(line));
  return packagesOfLock(lines.filter((line) => isFor(python, /;\s*([^\\]*)/.exec(line)?.[1]?.trim() ?? '')));
}

const normalized = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
};

/** Conditions of the one form that uv writes, joined by `and`; a marker of another form counts as one that holds. */
function isFor(python: string, marker: string): boolean {
  return marker.split(' and ').every((condition) => {
    const [, operator = '', version = ''] =
      /^python_(?:full_)?version (\S+) '([\d.]+?)(?:\.\*)?'$/.exec(condition) ?? [];
    const holds = COMPARISONS[operator];
    return holds === undefined || holds(compare(python, version));
  });
}

/** Compares as far as both are known: of `3.6` and `3.6.8` the parts in common are equal. */
function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (const [index, part] of left.entries()) {
    const difference = part - (right[index] ?? part);
    if (difference !== 0) return difference;
  }
  return 0;
}
