import { stringify } from 'yaml';

/** A long text in one line, so that a diff shows what changed in it; and every text that looks like a number in quotes. */
export const toYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();

/** Documents that `apply -f` reads again. */
export const toDocuments = (values: readonly unknown[]): string => values.map(toYaml).join('\n---\n');
