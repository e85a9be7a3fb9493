import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { mayInvoke as mayInvokeAs, PLATFORM_ROLES } from '../platform/kinds/roles.js';
import type { Caller } from './caller.js';

/** Admins and data scientists invoke everything, others what names their role. Nobody else learns what exists. */
export function mayInvoke({ roles }: Caller, endpoint: Endpoint | undefined): boolean {
  return mayInvokeAs(roles, endpoint?.roleName ?? ''); // no token carries the empty role
}

/**
 * What a caller who may not invoke is told. Whoever sees the model in the catalog learns its role; to others a model
 * that exists looks like one that does not.
 */
export function whoMayInvoke(caller: Caller, endpoint: Endpoint | undefined): string {
  if (endpoint === undefined || !maySee(caller, endpoint)) {
    return "Forbidden: a model is invoked with the role admin, data_scientist or its deployment's own";
  }
  return `Forbidden: model "${endpoint.id}" is invoked with the role admin, data_scientist or ${endpoint.roleName}`;
}

/** Who may invoke one deployment of a model may also say how good its answers are. */
export function maySendFeedback(caller: Caller, served: readonly Endpoint[]): boolean {
  return [undefined, ...served].some((endpoint) => mayInvoke(caller, endpoint));
}

/** In the catalog the platform's own roles see every model, others what they may invoke. */
export function maySee(caller: Caller, endpoint: Endpoint): boolean {
  return PLATFORM_ROLES.some((role) => caller.roles.includes(role)) || mayInvoke(caller, endpoint);
}
