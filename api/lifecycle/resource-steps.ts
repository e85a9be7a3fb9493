import type { Resource, Kind } from '../../platform/kinds/resource.js';
import { notFound } from '../../platform/kinds/errors.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { AuditAction, RecordChange } from '../http/audit-record.js';
import { firstGeneration, nextGeneration } from './generations.js';
import type { ResourceIdentity } from './generations.js';
import { checkIfMatch, sendEntity } from './revision.js';
import type { Step } from '../http/state.js';

/** What the steps of an endpoint hand to each other. */
export interface ResourceState<Spec extends object, Status extends object> {
  /** What the body asks for, judged and with defaults. */
  accepted: { id: string; spec: Spec };
  /** The entity as this request found it; absent on a create. */
  before: Resource<Spec, Status> | undefined;
  /** The entity as this request leaves it. */
  entity: Resource<Spec, Status>;
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
    const entity = await store.get(id);
    if (entity === undefined) throw notFound(id);
    ctx.state.before = entity;
    ctx.state.entity = entity;
    await next();
  };

  const insert: ThisStep = async (ctx, next) => {
    const { accepted, caller } = ctx.state;
    const wanted = { kind, ...accepted, status: freshStatus(now(), accepted.id) };
    ctx.state.before = undefined;
    ctx.state.entity = await store.insert(firstGeneration(wanted, caller, options));
    await next();
  };

  /** @param refuse throws when the entity may not be changed now */
  const replace =
    (refuse: (current: Resource<Spec, Status>) => void = () => {}): ThisStep =>
    async (ctx, next) => {
      const { accepted, caller } = ctx.state;
      ctx.state.entity = await store.update(accepted.id, (current) => {
        refuse(current);
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
    ctx.state.entity = await store.update(accepted.id, (current) => {
      checkIfMatch(ctx, current);
      ctx.state.before = current;
      return nextGeneration(current, { spec: accepted.spec, status: current.status }, caller, options);
    });
    await next();
  };

  const checkRevision: ThisStep = async (ctx, next) => {
    checkIfMatch(ctx, ctx.state.entity);
    await next();
  };

  /** Removes what was loaded; an entity that took over the id meanwhile stays. */
  const remove: ThisStep = async (ctx, next) => {
    const { id, uid } = ctx.state.entity;
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
      const { before, entity } = ctx.state;
      await record(ctx, { action, before, after: action === 'delete' ? undefined : entity });
      await next();
    };

  const reply =
    (status = 200): ThisStep =>
    async (ctx) =>
      sendEntity(ctx, ctx.state.entity, toReply(ctx.state.entity), status);

  const confirm =
    (text: (id: string) => string): ThisStep =>
    async (ctx) => {
      ctx.body = { message: text(ctx.state.entity.id) };
    };

  return { load, insert, replace, replaceSpec, checkRevision, remove, audit, reply, confirm };
}
