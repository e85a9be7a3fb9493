import type { oas31 } from 'openapi3-ts';
import { z } from 'zod';
import { DatasetSpec } from '../../reference/dataset/dataset.js';
import { PLATFORM_TYPES } from '../../notifications/events/catalogue.js';
import { datasetTypes } from '../../notifications/events/dataset-events.js';
import type { Fields } from '../../reference/dataset/dataset-field.js';
import { requestSchema } from '../json-schema.js';
import { tokenSchemes } from '../security-schemes.js';
import type { Paths } from '../lifecycle/operations.js';
import { datasetPaths } from './dataset-paths.js';
import { FEED_PATHS, FEED_SCHEMAS } from '../notifications/feed-paths.js';
import { EVENT_TYPE_PATHS, EVENT_TYPE_SCHEMAS, eventWebhooks } from '../notifications/event-type-paths.js';
import { FIXED_PATHS } from './fixed-paths.js';
import { path } from './parameters.js';
import { RECOVERY_PATHS, RECOVERY_SCHEMAS } from '../notifications/recovery-paths.js';
import { rowReply, rowRequest } from '../../reference/dataset/row-schema.js';
import { pageSchemas, SHARED_SCHEMAS } from './schemas.js';
import { SUBSCRIPTION_PATHS } from '../notifications/subscription-paths.js';
import { SUBSCRIPTION_SCHEMAS } from '../notifications/subscription-schemas.js';
import { WATCH_PATHS, WATCH_SCHEMAS } from '../notifications/watch-paths.js';

export interface DeclaredDataset {
  name: string;
  spec: { title: string | null; fields: Fields };
  generation: number;
}

const DESCRIPTION = `Reference data: every dataset by id, by filter, by what was typed so far, and as a graph.

Send \`x-api-key\` or \`Authorization: Bearer <JWT>\`. With a credential this document has the paths and rows of each
dataset that it may read; without one it has \`{dataset}\` in their place. Every error is a problem document
(RFC 9457) whose \`type\` explains it.`;

/**
 * The document of `/v2` as OpenAPI 3.1, made of what is declared.
 * @param tokenEndpoint where the OpenID issuer gives tokens for client credentials
 */
export function createReferenceDocument(
  version: string,
  datasets: readonly DeclaredDataset[],
  tokenEndpoint?: string,
): oas31.OpenAPIObject {
  const securitySchemes: Record<string, oas31.SecuritySchemeObject> = {
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
    ...tokenSchemes(tokenEndpoint),
  };
  const parts = datasets.length > 0 ? datasets.map(partOf) : [UNDECLARED];
  const types = datasets.flatMap(({ name, spec: { fields }, generation }) =>
    datasetTypes(name, { fields, generation }),
  );
  const tags =
    datasets.length > 0
      ? datasets.map(({ name, spec }) => ({ name, description: spec.title ?? name }))
      : [{ name: ANY_DATASET, description: 'Rows of a dataset.' }];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Slipway reference data',
      description: DESCRIPTION,
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the document, so that it is valid after every gateway.
    servers: [{ url: '..', description: 'this installation' }],
    tags: [
      ...tags,
      { name: 'Datasets' },
      { name: 'Graph' },
      { name: 'Keys' },
      { name: 'Subscriptions' },
      { name: 'Watches' },
      { name: 'Feed' },
      { name: 'Service' },
    ],
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    paths: Object.assign({}, OWN_PATHS, ...parts.map(({ paths }) => paths)) as Paths, // every part is one
    webhooks: eventWebhooks([...types, ...PLATFORM_TYPES]),
    components: {
      securitySchemes,
      schemas: Object.assign(
        { DatasetRequest: DATASET_REQUEST },
        SHARED_SCHEMAS,
        SUBSCRIPTION_SCHEMAS,
        WATCH_SCHEMAS,
        RECOVERY_SCHEMAS,
        FEED_SCHEMAS,
        EVENT_TYPE_SCHEMAS,
        ...parts.map(({ schemas }) => schemas),
      ) as Part['schemas'],
    },
  };
}

interface Part {
  paths: Paths;
  schemas: Record<string, oas31.SchemaObject>;
}

/** The paths that are no dataset's. */
const OWN_PATHS: Paths = {
  ...FIXED_PATHS,
  ...WATCH_PATHS,
  ...SUBSCRIPTION_PATHS,
  ...RECOVERY_PATHS,
  ...FEED_PATHS,
  ...EVENT_TYPE_PATHS,
};
const OWN_IDS = new Set(
  Object.values(OWN_PATHS).flatMap(({ get, put, post, patch, delete: remove }) =>
    [get, put, post, patch, remove].flatMap((operation) => operation?.operationId ?? []),
  ),
);

/** A name of a dataset has no capital, so no schema of ours is called like its rows. */
function partOf({ name, spec: { fields } }: DeclaredDataset): Part {
  return {
    paths: datasetPaths({
      ...{ segment: name, name, row: name, request: `${name}Request` },
      isTaken: (operationId) => OWN_IDS.has(operationId),
    }),
    schemas: {
      [name]: rowReply(fields, { marked: true }),
      [`${name}Request`]: rowRequest(fields),
      ...pageSchemas(name),
    },
  };
}

const dataset = path('dataset', { type: 'string', pattern: '^[a-z][a-z0-9_]{0,62}$' }, 'Name of a dataset.');
/** In names of operations, which must differ from those on declarations, such as `read_dataset`. */
const ANY_DATASET = 'any_dataset';
const UNDECLARED: Part = {
  paths: datasetPaths({
    segment: '{dataset}',
    name: ANY_DATASET,
    row: 'row',
    request: 'rowRequest',
    parameters: [dataset],
  }),
  schemas: { row: rowReply({}), rowRequest: { type: 'object' }, ...pageSchemas('row') },
};

const DATASET_REQUEST: oas31.SchemaObject = {
  ...requestSchema(
    z.looseObject({ kind: z.literal('Dataset').optional(), id: z.string().optional(), spec: DatasetSpec }),
    ['spec'],
  ),
  example: {
    kind: 'Dataset',
    id: 'offices',
    spec: {
      fields: { name: { type: 'text', required: true }, opened_on: { type: 'date' } },
      lookup: { fields: ['name'] },
    },
  },
};
