import pluralize from 'pluralize';

/** Creates a function that makes names unique: it appends `_` as often as needed. */
export function createNames(taken: readonly string[] = []): (wanted: string) => string {
  const given = new Set(taken);
  return (wanted) => {
    let name = wanted;
    while (given.has(name)) name += '_';
    given.add(name);
    return name;
  };
}

/** Converts `job_titles` to `JobTitles`. */
export const toTypeName = (name: string): string =>
  name.replace(/(?:^|_+)([a-z0-9])/g, (_, first: string) => first.toUpperCase()).replace(/_+$/, '');

/** Returns the name of one row of a dataset: `position` for `positions`. */
export const singularOf = (dataset: string): string => pluralize.singular(dataset) || dataset; // of `s` nothing is left

const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** Maps the values of an enum to names, in order: `On Hold` to `On_Hold`. */
export function toEnumNames(values: readonly string[]): Map<string, string> {
  // A value that is a valid name keeps it, even when an earlier value maps to the same name.
  const fitting = values.filter(isEnumName);
  const claim = createNames(fitting);
  return new Map(values.map((value) => [value, isEnumName(value) ? value : claim(toEnumName(value))]));
}

const isEnumName = (value: string): boolean => /^(?!__)[A-Za-z_]\w*$/.test(value) && !RESERVED.has(value);

function toEnumName(value: string): string {
  const name = value.replace(/\W/g, '_');
  // `_` is a name, but one that is made unique would begin with `__`, which the language keeps to itself.
  return isEnumName(name) && name !== '_' ? name : `v_${name}`;
}
