import { PLATFORM_TYPES, platformType } from '../../notifications/events/catalogue.js';
import { datasetTypes } from '../../notifications/events/dataset-events.js';
import { type EventType, eventTypePath } from '../../notifications/events/event-type.js';
import type { DeclaredFields } from '../../reference/dataset/dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { covers } from '../../platform/kinds/scope.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import { findDeclaration } from '../../reference/stores/declaration-history.js';
import { requireScope } from '../reference/credentials.js';
import { exampleEvent } from './example-event.js';
import { readQuery } from '../http/parameters.js';
import type { Client, ReferenceStep } from '../reference/state.js';

export interface EventTypeRoutesOptions {
  datasets: Datasets;
  /** Where the service is reached, without a slash at the end. */
  baseUrl: string;
}

/** @returns `undefined` when there is no such type. @throws auth.scope, dataset.not_found */
export type FindEventType = (client: Pick<Client, 'scopes'>, type: string) => EventType | undefined;

const DATASET_TYPE = /^dataset\.([a-z][a-z0-9_]{0,62})\.[a-z_]+$/;
const SCHEMA_TYPE = 'application/schema+json';

/** `/v2/event-types`: what subscriptions can name, each with its JSON Schema and an example. `dataschema` leads here. */
export function createEventTypeRoutes({ datasets, baseUrl }: EventTypeRoutesOptions) {
  function toReply(each: EventType) {
    const { type, version, description, schema } = each;
    const dataschema = `${baseUrl}${eventTypePath(type, version)}`;
    const { body } = exampleEvent(each, { baseUrl });
    return { type, version, description, dataschema, schema, example: JSON.parse(body) as unknown };
  }

  const list: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { scopes } = ctx.state.client;
    const declared = datasets.all().flatMap(({ name, replica: { declaration } }) => {
      const mayRead = declaration !== undefined && covers(scopes, `data:read:${name}`);
      return mayRead ? datasetTypes(name, toDeclared(declaration)) : [];
    });
    ctx.body = { items: [...declared, ...PLATFORM_TYPES].map(toReply) };
  };

  /** As it is now. */
  const findType: FindEventType = ({ scopes }, type) => {
    const [, dataset] = DATASET_TYPE.exec(type) ?? [];
    if (dataset === undefined) return platformType(type);
    requireScope({ scopes }, `data:read:${dataset}`);
    return datasetTypes(dataset, toDeclared(datasets.get(dataset).declaration)).find((each) => each.type === type);
  };

  /** As it was when the dataset was declared so. */
  async function findEarlier(type: string, version: number): Promise<EventType | undefined> {
    const [, name] = DATASET_TYPE.exec(type) ?? [];
    const earlier = name && (await findDeclaration(datasets.get(name).dataset, version));
    return earlier ? datasetTypes(name, earlier).find((each) => each.type === type) : undefined;
  }

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { type = '', version = '' } = ctx.params;
    const present = findType(ctx.state.client, type);
    const isEarlier = present !== undefined && Number(version) < present.version;
    const found = isEarlier ? await findEarlier(type, Number(version)) : present;
    if (found === undefined || String(found.version) !== version) {
      throw new SlipwayError(
        'event_type.not_found',
        `there is no version ${version} of event type "${type}" (any more)`,
      );
    }
    ctx.set('Vary', 'accept');
    const isSchema = ctx.accepts('application/json', SCHEMA_TYPE) === SCHEMA_TYPE;
    ctx.body = isSchema ? { $id: `${baseUrl}${eventTypePath(type, found.version)}`, ...found.schema } : toReply(found);
    if (isSchema) ctx.type = SCHEMA_TYPE;
  };

  return { list, read, findType };
}

export const toDeclared = ({ spec, generation }: { spec: DeclaredFields; generation: number }): DeclaredFields => ({
  fields: spec.fields,
  generation,
});
