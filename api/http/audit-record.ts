import type { AnyResource } from '../../platform/kinds/resource.js';
import { isRecord } from '../../platform/kinds/lenient.js';
import { MASK, maskSecrets, SECRET_FIELDS } from '../../lifecycle/kinds/connection-secrets.js';
import type { DeploymentSpec } from '../../lifecycle/kinds/deployment.js';
import type { RolloutAction } from '../../lifecycle/kinds/rollout.js';
import type { ConnectionSpec } from '../../lifecycle/kinds/connection.js';
import type { AuditStore, FieldChange } from '../../platform/stores/audit.js';
import type { Caller } from './caller.js';
import { isSameJson } from '../../platform/kinds/generation.js';
import type { ApiContext } from './state.js';

export type AuditAction =
  | 'create'
  | 'update'
  | 'delete'
  | 'cancel'
  | 'rerun'
  | 'decrypt'
  | 'approve'
  | 'reject'
  | 'pause'
  | 'resume'
  | `rollout.${RolloutAction}`;

/** What leaves the resource as it is, and counts all the same: it reads a secret, or steers a rollout. */
const isChangeless = (action: AuditAction): boolean => action === 'decrypt' || action.startsWith('rollout.');

interface Recorded {
  action: AuditAction;
  before: AnyResource | undefined;
  /** Absent when it was deleted. */
  after: AnyResource | undefined;
}

/** Appends one audit record; a call that changed nothing appends none. */
export type RecordChange = (ctx: ApiContext, recorded: Recorded) => Promise<void>;

export function createRecordChange({ audit }: { audit: AuditStore }): RecordChange {
  return async (ctx, { action, before, after }) => {
    const resource = after ?? before;
    const isUnchanged = before !== undefined && before.revision === after?.revision && !isChangeless(action);
    // A repeated delete of a resource that is already marked.
    const isRepeated = action === 'delete' && before?.deletionMark === true;
    if (resource === undefined || isUnchanged || isRepeated) return;
    await audit.append({
      user: toUser(ctx.state.caller),
      action,
      kind: resource.kind,
      entityId: resource.id,
      generation: resource.generation,
      changes: [...changesBetween(before, after), ...overridden(before)],
      requestId: ctx.state.requestId,
    });
  };
}

export const toUser = ({ sub, name, email }: Caller) => ({ sub, name, email });

function changesBetween(before: AnyResource | undefined, after: AnyResource | undefined): FieldChange[] {
  if (before && after) return [...diff('spec', before.spec, after.spec)].map(masked);
  return [{ path: 'spec', from: before ? maskedSpec(before) : null, to: after ? maskedSpec(after) : null }];
}

/** Names the protection that an admin overrode: no other caller gets as far as a change of a protected deployment. */
function overridden(before: AnyResource | undefined): FieldChange[] {
  if (before?.kind !== 'ModelDeployment' || !(before.spec as DeploymentSpec).protected) return []; // `kind` says which spec
  return [{ path: 'protection', from: 'protected', to: 'overridden' }];
}

/** Yields the leaves that differ; lists are compared as a whole. */
function* diff(path: string, from: unknown, to: unknown): Generator<FieldChange> {
  if (isSameJson(from, to)) return;
  if (!isRecord(from) || !isRecord(to)) {
    yield { path, from: from ?? null, to: to ?? null };
    return;
  }
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    yield* diff(`${path}.${key}`, from[key], to[key]);
  }
}

const SECRET_PATHS: readonly string[] = SECRET_FIELDS.map((field) => `spec.${field}`);

function masked(change: FieldChange): FieldChange {
  if (!SECRET_PATHS.includes(change.path)) return change;
  const mask = (value: unknown) => (value ? MASK : null);
  return { ...change, from: mask(change.from), to: mask(change.to) };
}

const maskedSpec = ({ kind, spec }: AnyResource): object =>
  kind === 'Connection' ? maskSecrets(spec as ConnectionSpec) : spec; // `kind` says which spec it is
