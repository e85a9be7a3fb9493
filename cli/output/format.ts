import { InvalidArgumentError, Option } from 'commander';
import type { Entity } from '../../client/index.js';
import { nameOf } from '../kinds.js';

/** How entities are shown: as a table, or as data for other programs. */
export type Format = { form: 'table'; wide: boolean } | { form: 'data'; toText: ToText };
type ToText = (entities: readonly Entity[], isList: boolean) => Promise<string>;

const data = (toText: ToText): Format => ({ form: 'data', toText });

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
      return data(async (entities) => entities.map(nameOf).join('\n'));
    case 'json':
      return data(async (entities, isList) => toJson(isList ? entities : entities[0]));
    case 'yaml':
      return data(async (entities) => (await import('./yaml.js')).toDocuments(entities));
    case 'jsonpath':
      return data(async (entities, isList) =>
        (await import('./jsonpath.js')).compilePath(rest.join('='))(entities, isList),
      );
    default:
      throw new InvalidArgumentError('it is one of table, wide, name, json, yaml, jsonpath=<expression>.');
  }
}

export const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** The text of a reply in one of both forms. */
export const toData = async (value: unknown, format: string): Promise<string> =>
  format === 'json' ? toJson(value) : (await import('./yaml.js')).toYaml(value);
