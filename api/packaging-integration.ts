import { Router } from '@koa/router';
import { canonical } from '../resources/aliases.js';
import type { Settings } from '../config.js';
import { keepPackager } from '../resources/built-in-rules.js';
import { builtInPackagers } from '../resources/built-in.js';
import { notFound } from '../resources/errors.js';
import { toReply } from '../resources/reply.js';
import { acceptPackagingIntegration } from '../resources/packaging-integration-validation.js';
import type { PackagingIntegration, PackagingIntegrationSpec } from '../resources/packaging-integration.js';
import { findPackagingIntegration } from '../resources/vocabulary.js';
import type { EntityStore } from '../stores/entities.js';
import type { RecordChange } from './audit-record.js';
import { readBody } from './body.js';
import { builtInSettings } from './built-ins.js';
import { entitySteps } from './entity-steps.js';
import type { EntityState, EntityStep } from './entity-steps.js';
import type { Making } from './generations.js';
import { sendPage } from './paging.js';
import { parseListQuery } from './query.js';
import { sendEntity } from './revision.js';
import { refuseUsedByPipelines, type PipelineUseDeps } from './pipeline-use.js';
import type { ApiState, Step } from './state.js';

export interface PackagingIntegrationRoutesDeps extends Making, PipelineUseDeps {
  packagingIntegrations: EntityStore<PackagingIntegration>;
  settings: Settings;
  /** Whether an integration that a pipeline names is kept. */
  deleteProtection: boolean;
  idempotent: Step;
  record: RecordChange;
}

type PackagingIntegrationStep = EntityStep<PackagingIntegrationSpec, Record<string, never>>;
type PackagingIntegrationState = EntityState<PackagingIntegrationSpec, Record<string, never>>;

export function packagingIntegrationRoutes(deps: PackagingIntegrationRoutesDeps) {
  const { packagingIntegrations: store, idempotent, settings } = deps;
  const { load, insert, replace, checkRevision, remove, audit, reply, confirm } = entitySteps({
    ...deps,
    kind: 'PackagingIntegration',
    store,
    freshStatus: () => ({}),
  });

  const builtIns = builtInPackagers(builtInSettings(settings));

  const find = (id: string) => findPackagingIntegration({ packagingIntegration: (word) => store.get(word) }, id);

  const list: PackagingIntegrationStep = async (ctx) => {
    const page = parseListQuery(ctx);
    sendPage(ctx, await store.list(), { ...page, toReply });
  };

  /** An alias of a built-in integration answers it in its own words, until an entity of that id exists. */
  const read: PackagingIntegrationStep = async (ctx) => {
    const { id = '' } = ctx.params ?? {};
    const entity = await find(id);
    if (entity === undefined) throw notFound(id);
    sendEntity(ctx, entity, toReply(entity));
  };

  const accept: PackagingIntegrationStep = async (ctx, next) => {
    const accepted = await acceptPackagingIntegration(ctx.state.body);
    const builtIn = builtIns.find(({ id }) => id === accepted.id);
    if (builtIn) keepPackager(accepted.id, accepted.spec, builtIn.spec);
    ctx.state.accepted = accepted;
    await next();
  };

  /** A PUT to an alias of a built-in integration stores an entity of that id, which wins from then on. */
  const replaceOrAdopt: PackagingIntegrationStep = async (ctx, next) => {
    const { id } = ctx.state.accepted;
    const isAlias = (await store.get(id)) === undefined && (await find(id)) !== undefined;
    await (isAlias ? insert : replace())(ctx, next);
  };

  /** Without it the next run of a pipeline would fail, and perhaps the one that goes on. */
  const refuseUsed: PackagingIntegrationStep = async (ctx, next) => {
    const { id } = ctx.state.entity;
    if (deps.deleteProtection) {
      const own = new Set((await store.list()).map((integration) => integration.id));
      // An alias means this one, unless an entity has that very id.
      await refuseUsedByPipelines(
        deps,
        `packaging integration ${id}`,
        ({ packager }) => packager === id || (canonical('packager', packager) === id && !own.has(packager)),
      );
    }
    await next();
  };

  const deleted = confirm((id) => `Packaging integration ${id} was deleted`);

  return new Router<ApiState & PackagingIntegrationState>({ prefix: '/api/v1/packaging/integration' })
    .get('/', list)
    .post('/', readBody, idempotent, accept, insert, audit('create'), reply(201))
    .put('/', readBody, accept, replaceOrAdopt, audit('update'), reply())
    .get('/:id', read)
    .delete('/:id', load, refuseUsed, checkRevision, remove, audit('delete'), deleted);
}
