import type { DeploymentSpec } from '../../lifecycle/kinds/deployment.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { isSameJson } from '../../platform/kinds/generation.js';
import type { ApiContext } from '../http/state.js';

/** The header by which an admin says which protected deployment a request is to change. */
export const OVERRIDE_HEADER = 'Override-Protection';

interface Protected {
  id: string;
  spec: DeploymentSpec;
}

const isAdmin = (ctx: ApiContext): boolean => ctx.state.caller.roles.includes('admin');

/**
 * Requires an admin, who names the deployment once more, for a change of a protected deployment.
 * @param wanted absent when the deployment is to be deleted
 * @throws forbidden; protected
 */
export function requireUnprotected(ctx: ApiContext, { id, spec }: Protected, wanted?: DeploymentSpec): void {
  if (!spec.protected) return requireMayProtect(ctx, wanted);
  if (wanted !== undefined && isSameJson(spec, wanted)) return;
  const way = changedBy(spec);
  if (!isAdmin(ctx)) {
    throw new SlipwayError('forbidden', `deployment "${id}" is protected: ${way}, or an admin does`);
  }
  if (ctx.get(OVERRIDE_HEADER) === id) return;
  const end = wanted?.protected === false ? ' and ends its protection' : '';
  throw new SlipwayError(
    'protected',
    `deployment "${id}" is protected: ${way}. An admin who is sure repeats the request with the header ` +
      `${OVERRIDE_HEADER}: ${id}, or the option --override-protection; the request changes what serves${end}`,
  );
}

/** Requires an admin for a spec that protects. @throws forbidden */
export function requireMayProtect(ctx: ApiContext, wanted: Pick<DeploymentSpec, 'protected'> | undefined): void {
  if (!wanted?.protected || isAdmin(ctx)) return;
  throw new SlipwayError('forbidden', 'only an admin protects a deployment: leave "protected" out, or ask an admin');
}

/** Requires an admin for a template whose runs change a protected deployment. @throws forbidden */
export function requireMayTarget(ctx: ApiContext, target: Protected | undefined): void {
  if (!target?.spec.protected || isAdmin(ctx)) return;
  throw new SlipwayError(
    'forbidden',
    `deployment "${target.id}" is protected: only an admin writes the template that changes it`,
  );
}

const changedBy = ({ pipeline }: DeploymentSpec): string =>
  pipeline === undefined ? 'no run changes it' : `runs of pipeline "${pipeline}" change it`;
