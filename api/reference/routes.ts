import type { ApiKeys } from '../../platform/stores/api-keys.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import type { ImportRuns } from '../../reference/dataset/import.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { Imports } from '../../reference/stores/imports.js';
import { createDeclarations } from '../../reference/stores/declarations.js';
import type { ReferenceAudits } from '../../reference/stores/reference-audits.js';
import { createRowWrites } from '../../reference/stores/row-writes.js';
import { createBatch } from './batch.js';
import { createChangeStream } from './change-stream.js';
import { createDangling } from './dangling.js';
import { createDatasetRoutes } from './dataset.js';
import { cacheAs } from './freshness.js';
import { type AnswerCall, createGraphRoutes } from './graph/routes.js';
import { createHealth, type HealthOptions } from './health.js';
import { createHistory } from './history.js';
import { createImportRoutes } from './import.js';
import { createKeyRoutes } from './key.js';
import { createLookup } from './lookup.js';
import { createOpenApi } from './openapi.js';
import { createPinRoutes } from './pin.js';
import { explainProblem } from '../http/problem.js';
import type { ReferenceQuotas } from './quota.js';
import { createReadRow } from './read-row.js';
import { filtered, type Route, route } from './route-table.js';
import { createSearchRoutes } from './search.js';
import { createVersionRoutes } from './version.js';
import { createWriteRow } from './write-row.js';
import type { PageTokens } from './page-token.js';
import type { Identify } from './credentials.js';

export interface ReferenceRoutesOptions extends HealthOptions {
  datasets: Datasets;
  keys: ApiKeys;
  reservedIds: ReservedIds;
  imports: Imports;
  importRuns: ImportRuns;
  audits: ReferenceAudits;
  identify: Identify;
  findTokenEndpoint?: () => Promise<string | undefined>;
  /** Version of the service. */
  version: string;
  tokens: SecretBox;
  pageTokens: PageTokens;
  answer: AnswerCall;
  notifications: readonly Route[];
  quotas?: ReferenceQuotas;
}

/** Creates the route table of `/v2`: keys, datasets, rows and graph, and the given rows of notifications. */
export function createReferenceRoutes(options: ReferenceRoutesOptions): readonly Route[] {
  const { datasets, keys, reservedIds, audits, identify } = options;
  const { tokens, pageTokens, answer, notifications, imports, importRuns: runs, quotas } = options;
  const writes = createRowWrites({ datasets });
  const row = {
    read: createReadRow({ datasets }),
    history: createHistory({ datasets, tokens }),
    batch: createBatch({ datasets, writes }),
    ...createWriteRow({ datasets, reservedIds, writes }),
  };
  const { search, list } = createSearchRoutes({ datasets, tokens: pageTokens });
  const graph = createGraphRoutes(answer);
  const dataset = createDatasetRoutes({ datasets, declarations: createDeclarations({ datasets }), audits, quotas });
  const imported = createImportRoutes({ datasets, imports, runs, quotas });
  const pinned = createPinRoutes({ datasets, audits });
  const versions = createVersionRoutes({ datasets });
  const dangling = createDangling({ datasets, audits });
  const key = createKeyRoutes({ keys, datasets });

  // prettier-ignore
  return [
    route('get',    '/v2/health',           'credential',     createHealth(options)),
    route('get',    '/v2/problems/:code',   'nothing',        explainProblem),
    route('get',    '/v2/openapi.json',     'nothing',        createOpenApi(options)),

    route('get',    '/v2/keys',             'keys:admin',     key.list),
    route('post',   '/v2/keys',             'keys:admin',     key.issue),
    route('get',    '/v2/keys/:id',         'keys:admin',     key.read),
    route('delete', '/v2/keys/:id',         'keys:admin',     key.revoke),
    route('post',   '/v2/keys/:id/rotate',  'keys:admin',     key.rotate),

    ...notifications, // literal paths, so before those that begin with a dataset

    filtered('get',    '/v2/datasets',         'credential',     dataset.list),
    route('get',    '/v2/datasets/:name',   'data:read',      dataset.read),
    route('put',    '/v2/datasets/:name',   'datasets:admin', dataset.put),
    route('delete', '/v2/datasets/:name',   'datasets:admin', dataset.remove),
    route('post',   '/v2/datasets/:name/pin',      'datasets:admin', pinned.pin),
    route('post',   '/v2/datasets/:name/unpin',    'datasets:admin', pinned.unpin),
    route('get',    '/v2/datasets/:name/versions', 'data:read',      cacheAs('row'), versions.list),
    filtered('get',    '/v2/datasets/:name/changes',  'data:read',      cacheAs('row'), versions.changes),
    filtered('get',    '/v2/datasets/:name/events',   'data:read',      createChangeStream({ datasets, identify })),
    route('get',    '/v2/datasets/:name/diff',     'data:read',      cacheAs('row'), versions.diff),
    route('get',    '/v2/datasets/:name/dangling', 'data:read',      cacheAs('row'), dangling),

    filtered('get',    '/v2/graphql',          'credential',     cacheAs('row'), graph.get),
    filtered('post',   '/v2/graphql',          'credential',     cacheAs('row'), graph.post),

    filtered('get',    '/v2/:dataset',         'data:read',      cacheAs('row'), list),
    filtered('get',    '/v2/:dataset/lookup',  'data:lookup',    cacheAs('lookup'), createLookup({ datasets })),
    filtered('get',    '/v2/:dataset/search',  'data:read',      cacheAs('row'), search),
    filtered('post',   '/v2/:dataset',         'data:write',     row.create),
    route('post',   '/v2/:dataset/imports',            'data:write', imported.create),
    route('get',    '/v2/:dataset/imports',            'data:write', imported.list),
    route('get',    '/v2/:dataset/imports/:id',        'data:write', imported.read),
    route('patch',  '/v2/:dataset/imports/:id',        'data:write', imported.append),
    route('delete', '/v2/:dataset/imports/:id',        'data:write', imported.cancel),
    route('post',   '/v2/:dataset/imports/:id/commit', 'data:write', imported.start),
    filtered('post',   '/v2/:dataset/batch',   'data:write',     row.batch),
    route('get',    '/v2/:dataset/:id/history', 'data:read',  cacheAs('row'), row.history),
    filtered('get',    '/v2/:dataset/:id',     'data:read',      cacheAs('row'), row.read),
    filtered('put',    '/v2/:dataset/:id',     'data:write',     row.put),
    filtered('patch',  '/v2/:dataset/:id',     'data:write',     row.patch),
    filtered('delete', '/v2/:dataset/:id',     'data:write',     row.remove),
  ];
}
