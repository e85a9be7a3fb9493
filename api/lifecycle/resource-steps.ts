import type { Resource, Kind } from '../../platform/kinds/resource.js';
import { notFound } from '../../platform/kinds/errors.js';
import { ignoredFields, ignoredText } from '../../platform/kinds/ignored-fields.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { AuditAction, RecordChange } from '../http/audit-record.js';
import { firstGeneration, nextGeneration } from './generations.js';
import type { ResourceIdentity } from './generations.js';
import { checkIfMatch, sendResource } from './revision.js';
import type { ApiContext, Step } from '../http/state.js';

/** The state that the steps of an endpoint pass on. */
export interface ResourceState<Spec extends object, Status extends object> {
  /** The body, validated and with defaults. */
  accepted: { id: string; spec: Spec };
  /** The resource as this request found it; absent on a create. */
  before: Resource<Spec, Status> | undefined;
  /** The resource as this request leaves it. */
  resource: Resource<Spec, Status>;
}
export type ResourceStep<Spec extends object, Status extends object> = Step<ResourceState<Spec, Status>>;

interface ResourceStepsOptions<Spec extends object, Status extends object> extends ResourceIdentity {
  kind: Kind;
  store: ResourceStore<Resource<Spec, Status>>;
  record: RecordChange;
  /** Status of a generation that has not begun. */
  freshStatus: (now: Date, id: string) => Status;
}

/** Steps that mean the same for every kind; which of them make an endpoint, and in which order, its router says. */
export function resourceSteps<Spec extends object, Status extends object>(options: ResourceStepsOptions<Spec, Status>) {
  const { kind, store, record, freshStatus, now } = options;
  type ThisStep = ResourceStep<Spec, Status>;

  const load: ThisStep = async (ctx, next) => {
    const { id = '' } = ctx.params ?? {};
    const resource = await store.get(id);
    if (resource === undefined) throw notFound(id);
    ctx.state.before = resource;
    ctx.state.resource = resource;
    await next();
  };

  const insert: ThisStep = async (ctx, next) => {
    const { accepted, caller } = ctx.state;
    warnOfIgnored(ctx, kind);
    const wanted = { kind, ...accepted, status: freshStatus(now(), accepted.id) };
    ctx.state.before = undefined;
    ctx.state.resource = await store.insert(firstGeneration(wanted, caller, options));
    await next();
  };

  /** @param refuse throws when the resource may not be changed now */
  const replace =
    (
      refuse: (current: Resource<Spec, Status>, ctx: ApiContext<ResourceState<Spec, Status>>) => void = () => {},
    ): ThisStep =>
    async (ctx, next) => {
      const { accepted, caller } = ctx.state;
      warnOfIgnored(ctx, kind);
      ctx.state.resource = await store.update(accepted.id, (current) => {
        refuse(current, ctx);
        checkIfMatch(ctx, current);
        ctx.state.before = current;
        const status = freshStatus(now(), current.id);
        return nextGeneration(current, { spec: accepted.spec, status }, caller, options);
      });
      await next();
    };

  /** For kinds whose status outlives a change of spec. */
  const replaceSpec: ThisStep = async (ctx, next) => {
    const { accepted, caller } = ctx.state;
    warnOfIgnored(ctx, kind);
    ctx.state.resource = await store.update(accepted.id, (current) => {
      checkIfMatch(ctx, current);
      ctx.state.before = current;
      return nextGeneration(current, { spec: accepted.spec, status: current.status }, caller, options);
    });
    await next();
  };

  const checkRevision: ThisStep = async (ctx, next) => {
    checkIfMatch(ctx, ctx.state.resource);
    await next();
  };

  /** Removes what was loaded; a resource that took over the id meanwhile stays. */
  const remove: ThisStep = async (ctx, next) => {
    const { id, uid } = ctx.state.resource;
    const removed = await store.remove(id, (current) => {
      checkIfMatch(ctx, current);
      return current.uid === uid;
    });
    if (removed === undefined) throw notFound(id);
    await next();
  };

  const audit =
    (action: AuditAction): ThisStep =>
    async (ctx, next) => {
      const { before, resource } = ctx.state;
      await record(ctx, { action, before, after: action === 'delete' ? undefined : resource });
      await next();
    };

  const reply =
    (status = 200): ThisStep =>
    async (ctx) =>
      sendResource(ctx, ctx.state.resource, toReply(ctx.state.resource), status);

  const confirm =
    (text: (id: string) => string): ThisStep =>
    async (ctx) => {
      ctx.body = { message: text(ctx.state.resource.id) };
    };

  return { load, insert, replace, replaceSpec, checkRevision, remove, audit, reply, confirm };
}

/** Names each field of the body that has no effect in a header `Warning` (RFC 7234, 5.5: 299 is a lasting warning). */
function warnOfIgnored(ctx: Pick<ApiContext, 'set' | 'state'>, kind: Kind): void {
  const warnings = ignoredFields(kind, ctx.state.body).map((path) => `299 - "${ignoredText(path)}"`);
  if (warnings.length > 0) ctx.set('Warning', warnings.join(', '));
}
