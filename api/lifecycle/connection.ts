import { Router } from '@koa/router';
import { keepDefaultConnection } from '../../lifecycle/kinds/built-in-rules.js';
import { acceptConnection } from '../../lifecycle/validation/connection-validation.js';
import type { Connection, ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { toReply } from '../../lifecycle/kinds/reply.js';
import type { ValidationContext } from '../../lifecycle/validation/validation.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { RecordChange } from '../http/audit-record.js';
import type { TestConnection } from '../../lifecycle/stores/connection-test.js';
import { badQuery, queryLists } from '../http/query.js';
import { readBody } from '../http/body.js';
import { findUsers } from './connection-use.js';
import type { ConnectionUseDeps } from './connection-use.js';
import type { SecretBox } from '../../platform/stores/secrets.js';
import { openSpec, sealChange, sealSpec, withSealsOf } from '../../lifecycle/stores/sealed-connection.js';
import { listStep } from './list.js';
import { resourceSteps } from './resource-steps.js';
import type { ResourceState, ResourceStep } from './resource-steps.js';
import type { ResourceIdentity } from './generations.js';
import { sendResource } from './revision.js';
import type { ApiState, Step } from '../http/state.js';

export interface ConnectionRoutesDeps extends ResourceIdentity, ConnectionUseDeps {
  connections: ResourceStore<Connection>;
  secretBox: SecretBox;
  validationContext: ValidationContext;
  testConnection: TestConnection;
  /** Whether a connection in use is kept. */
  deleteProtection: boolean;
  idempotent: Step;
  record: RecordChange;
}

type ConnectionStep = ResourceStep<ConnectionSpec, Record<string, never>>;
type ConnectionState = ResourceState<ConnectionSpec, Record<string, never>>;

export function connectionRoutes(deps: ConnectionRoutesDeps) {
  const { connections: store, secretBox, validationContext, deleteProtection, idempotent } = deps;
  const { load, insert, replace, checkRevision, remove, audit, reply, confirm } = resourceSteps({
    ...deps,
    kind: 'Connection',
    store,
    freshStatus: () => ({}),
  });

  const list = listStep(store, { type: { field: 'spec.type', vocabulary: 'connectionType' } });

  const acceptNew: ConnectionStep = async (ctx, next) => {
    const accepted = await acceptConnection(ctx.state.body, validationContext);
    ctx.state.accepted = { ...accepted, spec: sealSpec(accepted, secretBox) };
    await next();
  };

  /** A masked secret keeps its stored value. */
  const acceptChange: ConnectionStep = async (ctx, next) => {
    let stored: ConnectionSpec | undefined;
    const connection = async (id: string) => {
      const found = await validationContext.lookups.connection(id);
      stored = found?.spec;
      return found && { ...found, spec: openSpec(found, secretBox) };
    };
    const opened = { ...validationContext, lookups: { ...validationContext.lookups, connection } };
    const accepted = await acceptConnection(ctx.state.body, opened, { replaces: true });
    ctx.state.accepted = { ...accepted, spec: sealChange(accepted, stored, secretBox) };
    await next();
  };

  const compareSecrets: ConnectionStep = async (ctx, next) => {
    const { before, resource } = ctx.state;
    ctx.state.before = before && withSealsOf(before, resource.spec, secretBox);
    await next();
  };

  const keepDefault: ConnectionStep = async (ctx, next) => {
    const { accepted } = ctx.state;
    ctx.state.accepted = { ...accepted, spec: keepDefaultConnection(accepted) };
    await next();
  };

  const refuseVital: ConnectionStep = async (ctx, next) => {
    const { id, spec } = ctx.state.resource;
    if (spec.vital) {
      throw new SlipwayError('connection_vital', `${id} connection is vital, it cannot be deleted`);
    }
    await next();
  };

  const refuseUsed: ConnectionStep = async (ctx, next) => {
    const { id } = ctx.state.resource;
    const users = deleteProtection ? await findUsers(id, deps) : [];
    if (users.length > 0) throw new SlipwayError('in_use', `connection ${id} is in use by ${users.join(', ')}`);
    await next();
  };

  const replyDecrypted: ConnectionStep = async (ctx) => {
    const { resource } = ctx.state;
    ctx.set('Cache-Control', 'no-store');
    const opened = { ...resource, spec: openSpec(resource, secretBox) };
    sendResource(ctx, resource, toReply(opened, { secrets: 'shown' }));
  };

  /** The state of the other side, not of the connection: it is returned and not stored. */
  const replyTested: ConnectionStep = async (ctx) => {
    const { write: [write = 'false', ...more] = [], ...unknown } = queryLists(ctx);
    if (more.length > 0 || !['true', 'false'].includes(write) || Object.keys(unknown).length > 0) {
      throw badQuery('the write URL parameter must be true or false, and the only one');
    }
    ctx.body = await deps.testConnection(ctx.state.resource, { write: write === 'true' });
  };

  const deleted = confirm((id) => `Connection ${id} was deleted`);

  return new Router<ApiState & ConnectionState>({ prefix: '/api/v1/connection' })
    .get('/', list)
    .post('/', readBody, idempotent, acceptNew, insert, audit('create'), reply(201))
    .put('/', readBody, acceptChange, keepDefault, replace(), compareSecrets, audit('update'), reply())
    .get('/:id', load, reply())
    .delete('/:id', load, refuseVital, refuseUsed, checkRevision, remove, audit('delete'), deleted)
    .post('/:id/test', load, replyTested)
    .get('/:id/decrypted', load, audit('decrypt'), replyDecrypted);
}
