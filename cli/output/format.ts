import { InvalidArgumentError, Option } from 'commander';
import { stringify } from 'yaml';
import type { Entity } from '../../client/index.js';
import { nameOf } from '../kinds.js';
import { compilePath } from './jsonpath.js';

/** How entities are shown: as a table, or as data for other programs. */
export type Format =
  { form: 'table'; wide: boolean } | { form: 'data'; toText: (entities: readonly Entity[], isList: boolean) => string };

const data = (toText: (entities: readonly Entity[], isList: boolean) => string): Format => ({ form: 'data', toText });

/** `-o`, for commands that show entities. */
export const outputOption = (): Option =>
  new Option('-o, --output <format>', 'table, wide, name, json, yaml or jsonpath=<expression>')
    .default({ form: 'table', wide: false } satisfies Format, 'table')
    .argParser(parseFormat);

function parseFormat(text: string): Format {
  const [word = '', ...rest] = text.split('=');
  switch (word) {
    case 'table':
    case 'wide':
      return { form: 'table', wide: word === 'wide' };
    case 'name':
      return data((entities) => entities.map(nameOf).join('\n'));
    case 'json':
      return data((entities, isList) => toJson(isList ? entities : entities[0]));
    case 'yaml':
      return data((entities) => toDocuments(entities));
    case 'jsonpath':
      return data(compilePath(rest.join('=')));
    default:
      throw new InvalidArgumentError('it is one of table, wide, name, json, yaml, jsonpath=<expression>.');
  }
}

export const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** A long text in one line, so that a diff shows what changed in it; and every text that looks like a number in quotes. */
export const toYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();

/** Documents that `apply -f` reads again. */
const toDocuments = (values: readonly unknown[]): string => values.map(toYaml).join('\n---\n');
