import pluralize from 'pluralize';

/** Gives each thing a name of its own: the wanted one, or with `_` behind it as often as needed. */
export function createNames(taken: readonly string[] = []): (wanted: string) => string {
  const given = new Set(taken);
  return (wanted) => {
    let name = wanted;
    while (given.has(name)) name += '_';
    given.add(name);
    return name;
  };
}

/** `job_titles` is `JobTitles`. */
export const toTypeName = (name: string): string =>
  name.replace(/(?:^|_+)([a-z0-9])/g, (_, first: string) => first.toUpperCase()).replace(/_+$/, '');

/** What one row of a dataset is called: `positions` has a `position`. */
export const singularOf = (dataset: string): string => pluralize.singular(dataset);

const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** Names of the values of an enum, in their order: `On Hold` is `On_Hold`. */
export function toEnumNames(values: readonly string[]): Map<string, string> {
  // What is a name already keeps it, whatever stands before it.
  const fitting = values.filter(isEnumName);
  const claim = createNames(fitting);
  return new Map(values.map((value) => [value, isEnumName(value) ? value : claim(toEnumName(value))]));
}

const isEnumName = (value: string): boolean => /^(?!__)[A-Za-z_]\w*$/.test(value) && !RESERVED.has(value);

function toEnumName(value: string): string {
  const name = value.replace(/\W/g, '_');
  return isEnumName(name) ? name : `v_${name}`;
}
