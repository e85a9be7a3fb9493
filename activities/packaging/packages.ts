/** Installed Python packages: normalized name (PEP 503) to version. */
export type Packages = Readonly<Record<string, string>>;

/** How a model's lock and a base image differ; the model's version wins. */
export interface PackageDifference {
  added: string[];
  /** `name from -> to` */
  changed: string[];
  kept: string[];
  /** The packages to install on top of the base, as requirement lines. */
  install: string[];
}

/** PEP 503: runs of `-`, `_` and `.` are one `-`, case does not matter. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** Compares lines of a lock, `name==version --hash=...`, with what the base holds. */
export function comparePackages(lock: readonly string[], base: Packages): PackageDifference {
  const difference: PackageDifference = { added: [], changed: [], kept: [], install: [] };
  for (const line of [...lock].sort()) {
    const [pin = ''] = line.split(' ');
    const [requirement = '', version = ''] = pin.split('==');
    const name = normalizeName(requirement.replace(/\[.*\]$/, ''));
    const present = base[name];
    if (present === version) {
      difference.kept.push(name);
      continue;
    }
    difference.install.push(line);
    if (present === undefined) difference.added.push(`${name} ${version}`);
    else difference.changed.push(`${name} ${present} -> ${version}`);
  }
  return difference;
}
