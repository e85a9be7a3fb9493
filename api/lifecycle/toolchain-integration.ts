import { Router } from '@koa/router';
import { canonical } from '../../lifecycle/kinds/aliases.js';
import { notFound } from '../../platform/kinds/errors.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import { acceptToolchainIntegration } from '../../lifecycle/validation/toolchain-integration-validation.js';
import type { ToolchainIntegration, ToolchainIntegrationSpec } from '../../lifecycle/kinds/toolchain-integration.js';
import { findToolchain } from '../../lifecycle/validation/find-integration.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RecordChange } from '../http/audit-record.js';
import { readBody } from '../http/body.js';
import { listStep } from './list.js';
import { resourceSteps } from './resource-steps.js';
import type { ResourceState, ResourceStep } from './resource-steps.js';
import type { ResourceIdentity } from './generations.js';
import { sendResource } from './revision.js';
import { refuseUsedByPipelines, type PipelineUseDeps } from './pipeline-use.js';
import type { ApiState, Step } from '../http/state.js';

export interface ToolchainIntegrationRoutesDeps extends ResourceIdentity, PipelineUseDeps {
  toolchainIntegrations: ResourceStore<ToolchainIntegration>;
  /** Whether an integration that a pipeline names is kept. */
  deleteProtection: boolean;
  validationContext: ValidationContext;
  idempotent: Step;
  record: RecordChange;
}

type ToolchainIntegrationStep = ResourceStep<ToolchainIntegrationSpec, Record<string, never>>;
type ToolchainIntegrationState = ResourceState<ToolchainIntegrationSpec, Record<string, never>>;

export function toolchainIntegrationRoutes(deps: ToolchainIntegrationRoutesDeps) {
  const { toolchainIntegrations: store, idempotent } = deps;
  const { load, insert, replace, checkRevision, remove, audit, reply, confirm } = resourceSteps({
    ...deps,
    kind: 'ToolchainIntegration',
    store,
    freshStatus: () => ({}),
  });

  const find = (id: string) => findToolchain({ toolchain: (name) => store.get(name) }, id);

  const list = listStep(store, {});

  /** An alias of a built-in integration answers it under its own name, until a resource of that id exists. */
  const read: ToolchainIntegrationStep = async (ctx) => {
    const { id = '' } = ctx.params ?? {};
    const resource = await find(id);
    if (resource === undefined) throw notFound(id);
    sendResource(ctx, resource, toReply(resource));
  };

  const accept: ToolchainIntegrationStep = async (ctx, next) => {
    ctx.state.accepted = await acceptToolchainIntegration(ctx.state.body, deps.validationContext);
    await next();
  };

  /** A PUT to an alias of a built-in integration stores a resource of that id, which wins from then on. */
  const replaceOrAdopt: ToolchainIntegrationStep = async (ctx, next) => {
    const { id } = ctx.state.accepted;
    const isAlias = (await store.get(id)) === undefined && (await find(id)) !== undefined;
    await (isAlias ? insert : replace())(ctx, next);
  };

  /** Without it the next run of a pipeline would fail, and perhaps the one that goes on. */
  const refuseUsed: ToolchainIntegrationStep = async (ctx, next) => {
    const { id } = ctx.state.resource;
    if (deps.deleteProtection) {
      const own = new Set((await store.list()).map((integration) => integration.id));
      // An alias means this one, unless a resource has that very id.
      await refuseUsedByPipelines(
        deps,
        `toolchain integration ${id}`,
        ({ toolchain }) => toolchain === id || (canonical('toolchain', toolchain) === id && !own.has(toolchain)),
      );
    }
    await next();
  };

  const deleted = confirm((id) => `ToolchainIntegration ${id} was deleted`);

  return new Router<ApiState & ToolchainIntegrationState>({ prefix: '/api/v1/toolchain/integration' })
    .get('/', list)
    .post('/', readBody, idempotent, accept, insert, audit('create'), reply(201))
    .put('/', readBody, accept, replaceOrAdopt, audit('update'), reply())
    .get('/:id', read)
    .delete('/:id', load, refuseUsed, checkRevision, remove, audit('delete'), deleted);
}
