import { PLATFORM_TYPES, platformType } from '../../events/catalogue.js';
import { datasetTypes } from '../../events/dataset-types.js';
import { type EventType, eventTypePath } from '../../events/event-type.js';
import type { DeclaredFields } from '../../resources/dataset.js';
import { SlipwayError } from '../../resources/errors.js';
import { covers } from '../../resources/scope.js';
import type { Datasets } from '../../stores/datasets.js';
import { findDeclaration } from '../../stores/earlier-declaration.js';
import { requireScope } from './credentials.js';
import { exampleNotice } from './example-notice.js';
import { readQuery } from './query.js';
import type { ReferenceStep } from './state.js';

export interface EventTypeRoutesOptions {
  datasets: Datasets;
  /** Where the service is reached, without a slash at the end. */
  baseUrl: string;
}

const DATASET_TYPE = /^dataset\.([a-z][a-z0-9_]{0,62})\.[a-z_]+$/;
const SCHEMA_TYPE = 'application/schema+json';

/** `/v2/event-types`: what subscriptions can name, each with its JSON Schema and an example. `dataschema` leads here. */
export function createEventTypeRoutes({ datasets, baseUrl }: EventTypeRoutesOptions) {
  function toReply(each: EventType) {
    const { type, version, description, schema } = each;
    const dataschema = `${baseUrl}${eventTypePath(type, version)}`;
    const { body } = exampleNotice(each, { baseUrl });
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

  async function find(type: string, version: number, dataset: string | undefined): Promise<EventType | undefined> {
    if (dataset === undefined) return platformType(type);
    const { declaration, dataset: live } = datasets.get(dataset);
    const now = datasetTypes(dataset, toDeclared(declaration)).find((each) => each.type === type);
    if (now === undefined || now.version === version) return now;
    const earlier = version < now.version ? await findDeclaration(live, version) : undefined;
    return earlier && datasetTypes(dataset, earlier).find((each) => each.type === type);
  }

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { type = '', version = '' } = ctx.params;
    const [, dataset] = DATASET_TYPE.exec(type) ?? [];
    if (dataset !== undefined) requireScope(ctx.state.client, `data:read:${dataset}`);
    const found = await find(type, Number(version), dataset);
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

  return { list, read };
}

export const toDeclared = ({ spec, generation }: { spec: DeclaredFields; generation: number }): DeclaredFields => ({
  fields: spec.fields,
  generation,
});
