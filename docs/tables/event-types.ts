import { datasetTypes } from '../../notifications/events/dataset-events.js';
import { PLATFORM_TYPES } from '../../notifications/events/catalogue.js';
import { type EventType, familyOf, type JsonSchema } from '../../notifications/events/event-type.js';
import { code, markdownTable } from './markdown.js';

const DATASET = '<name>';

/** Every event type with what it reports, and the data of each family. */
export function eventTypesText(): string {
  const types = [...datasetTypes(DATASET, { fields: {} }), ...PLATFORM_TYPES];
  const families = [...new Set(types.map(({ type }) => familyOf(type)))];
  return families
    .flatMap((family) =>
      familyText(
        family,
        types.filter(({ type }) => familyOf(type) === family),
      ),
    )
    .join('\n\n');
}

function familyText(family: string, types: readonly EventType[]): string[] {
  const rows = types.map(({ type, description }) => [code(type), description.replaceAll(DATASET, 'the dataset')]);
  // Types of one family of the platform share their schema; each type of a dataset has its own.
  const schemas = [...new Set(types.map(({ schema }) => JSON.stringify(schema)))];
  const [first] = types;
  const shared = schemas.length === 1 && first !== undefined ? [dataText(first.schema)] : types.map(ownDataText);
  return [`### ${code(`${family}.*`)}`, markdownTable(['type', 'emitted when'], rows), shared.join('\n')];
}

const ownDataText = ({ type, schema }: EventType): string =>
  `- ${code(type.slice(type.lastIndexOf('.') + 1))}: ${membersOf(schema)}`;

const dataText = (schema: JsonSchema): string => `Data: ${membersOf(schema)}.`;

/** The members of the data in declared order; optional ones have a question mark. */
const membersOf = ({ properties = {}, required = [] }: JsonSchema): string =>
  Object.keys(properties)
    .map((name) => code(required.includes(name) ? name : `${name}?`))
    .join(', ');
