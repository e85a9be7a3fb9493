import type { Client } from 'openapi-fetch';
import type { ChangeOptions, Entities } from './entities.js';
import { SlipwayApiError } from './errors.js';
import { mergePatchOf } from './merge-patch.js';
import type { paths } from './openapi.js';
import { stateOf } from './outcome.js';
import { createReader } from './reader.js';
import type { CallOptions } from './reader.js';
import { isDrawnId, REFERENCE_PATHS, toEnvelope } from './reference-kinds.js';
import type { DrawnKind, ReferenceEntities, ReferenceKind, ReferenceRequest } from './reference-kinds.js';

type Requests<K extends ReferenceKind> = Pick<Entities<K>, 'list' | 'get' | 'create' | 'replace' | 'remove'>;

/** Operations of a kind of `/v2`, in the envelope of every resource. */
export function createReferenceEntities<K extends ReferenceKind>(http: Client<paths>, kind: K): Entities<K> {
  // The comparison says which kind it is; TypeScript cannot conclude that for `K`.
  const requests = (kind === 'Dataset' ? datasets(http) : drawn(http, kind)) as unknown as Requests<K>;
  const list: Requests<K>['list'] = async ({ state, ...filters } = {}, options) => {
    const [unknown] = Object.keys(filters);
    if (unknown !== undefined)
      throw new SlipwayApiError('validation_failed', `a list of this kind has no filter "${unknown}", but state`);
    const all = await requests.list({}, options);
    return state === undefined ? all : all.filter((entity) => state.includes(stateOf(entity)));
  };
  const reader = createReader<K>({
    kind,
    list,
    async getChanged(id, etag, options) {
      const entity = await requests.get(id, options);
      // Its own tag, as a name is found in a list.
      const found = JSON.stringify(entity);
      return found === etag ? undefined : { entity, etag: found };
    },
  });
  return { ...requests, ...reader };
}

function datasets(http: Client<paths>): Requests<'Dataset'> {
  type Dataset = ReferenceEntities['Dataset'];
  const toDataset = (shown: object | undefined) => shown as Dataset; // its schema names less than it has
  const put = async (body: ReferenceRequest<'Dataset'>, header: object, { signal, force }: ChangeOptions) => {
    const params = { path: { name: body.id }, header, query: force ? { force } : {} };
    const { data } = await http.PUT('/v2/datasets/{name}', { params, body: { ...body }, signal });
    return toDataset(data);
  };
  return {
    async list(_filters, { signal } = {}) {
      const { data } = await http.GET('/v2/datasets', { signal });
      return (data?.items ?? []).map(toDataset);
    },
    async get(name, { signal } = {}) {
      const { data } = await http.GET('/v2/datasets/{name}', { params: { path: { name } }, signal });
      return toDataset(data);
    },
    create: (body, options = {}) => put(body, { 'If-None-Match': '*' }, options),
    replace: (body, options = {}) => put(body, ifMatch(options), options),
    async remove(name, options = {}) {
      const params = { path: { name }, query: { confirm: name }, header: ifMatch(options) };
      await http.DELETE('/v2/datasets/{name}', { params, signal: options.signal });
    },
  };
}

/** The tag of a dataset begins with its generation, and the server compares no more than that. */
const ifMatch = ({ generation }: ChangeOptions) =>
  generation === undefined ? {} : { 'If-Match': `"${generation}.0"` };

const WORDS = { ApiKey: 'key', Subscription: 'subscription', Watch: 'watch' } as const satisfies Record<
  DrawnKind,
  string
>;

/** Kinds whose ids the server draws; a name finds the one resource that has it. */
function drawn(http: Client<paths>, kind: DrawnKind): Requests<DrawnKind> {
  // The three have the same operations, so the paths of one stand for all; a key has no PATCH.
  const path = REFERENCE_PATHS[kind].path as '/v2/watches';
  const item = `${path}/{id}` as const;
  const toEntity = (shown: object | undefined) => toEnvelope(kind, shown ?? {});

  const list: Requests<DrawnKind>['list'] = async (_filters, { signal } = {}) => {
    const { data } = await http.GET(path, { signal });
    return (data?.items ?? []).map(toEntity);
  };

  async function read(id: string, { signal }: CallOptions) {
    const { data, response } = await http.GET(item, { params: { path: { id } }, signal });
    return { entity: toEntity(data), etag: response.headers.get('etag') ?? '' };
  }

  async function find(id: string, options: CallOptions): Promise<ReferenceEntities[DrawnKind]> {
    if (isDrawnId(kind, id)) return (await read(id, options)).entity;
    const [found, ...others] = (await list({}, options)).filter(({ spec }) => spec.name === id);
    if (found === undefined) throw new SlipwayApiError('not_found', `there is no ${WORDS[kind]} with the name "${id}"`);
    if (others.length === 0) return found;
    const ids = [found, ...others].map((each) => each.id).join(', ');
    throw new SlipwayApiError(
      'conflict',
      `more than one ${WORDS[kind]} has the name "${id}": use one of the ids ${ids}`,
    );
  }

  return {
    list,
    get: (id, options = {}) => find(id, options),
    async create({ id, spec }, { signal } = {}) {
      const body = { name: id, ...spec } as never; // each kind has a body of its own
      const { data } = await http.POST(path, { body, signal });
      return toEntity(data);
    },
    async replace({ id: named, spec }, options = {}) {
      const { signal, generation } = options;
      if (kind === 'ApiKey')
        throw new SlipwayApiError('conflict', `a key cannot be changed: delete "${named}", then create it`);
      const { id } = await find(named, options);
      const { entity, etag } = await read(id, options);
      if (generation !== undefined && generation !== entity.generation)
        throw new SlipwayApiError(
          'revision_mismatch',
          `"${named}" was changed meanwhile: it has generation ${entity.generation}`,
        );
      const body = mergePatchOf(entity.spec, { name: entity.spec.name, ...spec }) as never; // a patch of that kind
      const params = { path: { id }, header: { 'If-Match': etag } };
      const { data } = await http.PATCH(item, { params, body, signal });
      return toEntity(data);
    },
    async remove(named, options = {}) {
      const { id } = await find(named, options);
      await http.DELETE(item, { params: { path: { id } }, signal: options.signal });
    },
  };
}
