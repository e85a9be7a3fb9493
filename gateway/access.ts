import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { mayInvoke as mayInvokeAs, PLATFORM_ROLES } from '../platform/kinds/roles.js';
import type { Caller } from './caller.js';

/** The roles beside those of the platform that may invoke a model. */
const ownRoles = ({ roleName, roles = [] }: Endpoint): string[] => [...new Set([roleName, ...roles])];

/** Admins and data scientists invoke everything; other callers need a role of the deployment, and else learn nothing. */
export function mayInvoke({ roles }: Caller, endpoint: Endpoint | undefined): boolean {
  return mayInvokeAs(roles, endpoint === undefined ? [] : ownRoles(endpoint));
}

/**
 * The refusal for a caller who may not invoke. A caller that sees the model in the catalog learns its role; to others a model
 * that exists looks like one that does not.
 */
export function whoMayInvoke(caller: Caller, endpoint: Endpoint | undefined): string {
  if (endpoint === undefined || !maySee(caller, endpoint)) {
    return "Forbidden: a model is invoked with the role admin, data_scientist or its deployment's own";
  }
  return `Forbidden: model "${endpoint.id}" is invoked with the role ${anyOf(ownRoles(endpoint))}`;
}

/**
 * A caller of a custom route may invoke every deployment that it leads to, also those without a share: so neither chance
 * nor a change of weights decides who is admitted. A route without any is closed to roles of deployments.
 */
export function mayInvokeAll(caller: Caller, targets: readonly Endpoint[]): boolean {
  return targets.length === 0 ? mayInvoke(caller, undefined) : targets.every((each) => mayInvoke(caller, each));
}

/** The refusal for a caller of a custom route, as that of a deployment: names are for callers that see each model. */
export function whoMayInvokeAll(caller: Caller, prefix: string, targets: readonly Endpoint[]): string {
  const [first] = targets;
  if (first === undefined || !targets.every((each) => maySee(caller, each))) return whoMayInvoke(caller, undefined);
  const roles = [...new Set(targets.map((target) => ownRoles(target).join(' or ')))];
  const each = roles.length === 1 ? roles : roles.map((names) => (names.includes(' or ') ? `(${names})` : names));
  return `Forbidden: route "${prefix}" is invoked with the role admin, data_scientist or ${each.join(' and ')}`;
}

const anyOf = (roles: readonly string[]): string => `admin, data_scientist or ${roles.join(' or ')}`;

/** A caller that may invoke one deployment of a model may also send feedback on its answers. */
export function maySendFeedback(caller: Caller, served: readonly Endpoint[]): boolean {
  return [undefined, ...served].some((endpoint) => mayInvoke(caller, endpoint));
}

/** In the catalog the platform's own roles see every model, others what they may invoke. */
export function maySee(caller: Caller, endpoint: Endpoint): boolean {
  return PLATFORM_ROLES.some((role) => caller.roles.includes(role)) || mayInvoke(caller, endpoint);
}
