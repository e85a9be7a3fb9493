import { Router } from '@koa/router';
import { canonical } from '../../lifecycle/kinds/aliases.js';
import type { Settings } from '../../config.js';
import { keepPackager } from '../../lifecycle/kinds/built-in-rules.js';
import { builtInPackagers } from '../../lifecycle/kinds/built-in.js';
import { notFound } from '../../platform/kinds/errors.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import { acceptPackagingIntegration } from '../../lifecycle/validation/packaging-integration-validation.js';
import type { PackagingIntegration, PackagingIntegrationSpec } from '../../lifecycle/kinds/packaging-integration.js';
import { findPackagingIntegration } from '../../lifecycle/validation/find-integration.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RecordChange } from '../http/audit-record.js';
import { readBody } from '../http/body.js';
import { builtInSettings } from './built-ins.js';
import { listStep } from './list.js';
import { resourceSteps } from './resource-steps.js';
import type { ResourceState, ResourceStep } from './resource-steps.js';
import type { ResourceIdentity } from './generations.js';
import { sendResource } from './revision.js';
import { refuseUsedByPipelines, type PipelineUseDeps } from './pipeline-use.js';
import type { ApiState, Step } from '../http/state.js';

export interface PackagingIntegrationRoutesDeps extends ResourceIdentity, PipelineUseDeps {
  packagingIntegrations: ResourceStore<PackagingIntegration>;
  settings: Settings;
  /** Whether an integration that a pipeline names is kept. */
  deleteProtection: boolean;
  validationContext: ValidationContext;
  idempotent: Step;
  record: RecordChange;
}

type PackagingIntegrationStep = ResourceStep<PackagingIntegrationSpec, Record<string, never>>;
type PackagingIntegrationState = ResourceState<PackagingIntegrationSpec, Record<string, never>>;

export function packagingIntegrationRoutes(deps: PackagingIntegrationRoutesDeps) {
  const { packagingIntegrations: store, idempotent, settings } = deps;
  const { load, insert, replace, checkRevision, remove, audit, reply, confirm } = resourceSteps({
    ...deps,
    kind: 'PackagingIntegration',
    store,
    freshStatus: () => ({}),
  });

  const builtIns = builtInPackagers(builtInSettings(settings));

  const find = (id: string) => findPackagingIntegration({ packagingIntegration: (name) => store.get(name) }, id);

  const list = listStep(store, {});

  /** An alias of a built-in integration answers it under its own names, until a resource of that id exists. */
  const read: PackagingIntegrationStep = async (ctx) => {
    const { id = '' } = ctx.params ?? {};
    const resource = await find(id);
    if (resource === undefined) throw notFound(id);
    sendResource(ctx, resource, toReply(resource));
  };

  const accept: PackagingIntegrationStep = async (ctx, next) => {
    const accepted = await acceptPackagingIntegration(ctx.state.body, deps.validationContext);
    const builtIn = builtIns.find(({ id }) => id === accepted.id);
    if (builtIn) keepPackager(accepted.id, accepted.spec, builtIn.spec);
    ctx.state.accepted = accepted;
    await next();
  };

  /** A PUT to an alias of a built-in integration stores a resource of that id, which wins from then on. */
  const replaceOrAdopt: PackagingIntegrationStep = async (ctx, next) => {
    const { id } = ctx.state.accepted;
    const isAlias = (await store.get(id)) === undefined && (await find(id)) !== undefined;
    await (isAlias ? insert : replace())(ctx, next);
  };

  /** Without it the next run of a pipeline would fail, and perhaps the one that goes on. */
  const refuseUsed: PackagingIntegrationStep = async (ctx, next) => {
    const { id } = ctx.state.resource;
    if (deps.deleteProtection) {
      const own = new Set((await store.list()).map((integration) => integration.id));
      // An alias means this one, unless a resource has that very id.
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
