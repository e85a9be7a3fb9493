import type { Endpoint } from '../lifecycle/kinds/endpoint.js';

type Json = Record<string, unknown>;
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** Whether a model gives samples of its input and output: its server says so in its own document. */
function hasSamples({ info }: Pick<Endpoint, 'info'>): boolean {
  return asObject(info['x-slipway']).hasSamples === true;
}

/** One OpenAPI document of many models: each one's operations under `/model/<id>`, its schemas under its id. */
export function catalogDocument(endpoints: readonly Endpoint[]): Json {
  // A deployment without a description has never been ready.
  const described = endpoints.filter(({ info }) => Object.keys(info).length > 0);
  const models = described.sort((a, b) => (a.id < b.id ? -1 : 1));
  const components: Record<string, Json> = {};
  const paths: Json = {};
  for (const { id, info } of models) {
    const own = asObject(withOwnReferences(info, id));
    for (const [path, item] of Object.entries(asObject(own.paths))) {
      paths[`/model/${id}${path}`] = withOwnOperations(asObject(item), id);
    }
    for (const [kind, entries] of Object.entries(asObject(own.components))) {
      if (kind === 'securitySchemes') continue; // the gateway's is the only one
      const target = (components[kind] ??= {});
      for (const [name, entry] of Object.entries(asObject(entries))) target[`${id}.${name}`] = entry;
    }
  }
  return {
    openapi: '3.0.3',
    info: { title: 'Deployed models', version: '1' },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: models.map((model) => ({ name: model.id, description: aboutOf(model) })),
    paths,
    components: { ...components, securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    'x-slipway-models': models.map(({ id, modelName, modelVersion, description, info }) => ({
      ...{ id, modelName, modelVersion, ...(description !== undefined && { description }) },
      hasSamples: hasSamples({ info }),
    })),
  };
}

function aboutOf({ modelName, modelVersion, info }: Endpoint): string {
  return `${modelName} ${modelVersion}${hasSamples({ info }) ? '' : ' (gives no sample of its input and output)'}`;
}

/** Operations grouped by deployment; `servers` and `security` of the model itself would lead past the gateway. */
function withOwnOperations(item: Json, id: string): Json {
  const entries = Object.entries(item).filter(([name]) => name !== 'servers');
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (!METHODS.has(name)) return [name, value];
      const { servers: _servers, security: _security, operationId, ...operation } = asObject(value);
      const named = typeof operationId === 'string' ? { operationId: `${id}.${operationId}` } : {};
      return [name, { ...operation, ...named, tags: [id] }];
    }),
  );
}

const REFERENCE = /^#\/components\/([^/]+)\/(.+)$/;

function withOwnReferences(value: unknown, id: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => withOwnReferences(entry, id));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      name === '$ref' && typeof entry === 'string'
        ? entry.replace(REFERENCE, `#/components/$1/${id}.$2`)
        : withOwnReferences(entry, id),
    ]),
  );
}

function asObject(value: unknown): Json {
  // Any object of JSON; its members stay unknown.
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
