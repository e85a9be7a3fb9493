import type { Findings } from '../../platform/kinds/findings.js';
import { parseQuantity, quantityProblem } from '../../platform/kinds/quantity.js';
import type { ResourceRequirements } from '../../platform/kinds/resource-requirements.js';
import type { Rules } from './validation.js';

// prettier-ignore
const QUANTITIES = [
  { of: 'cpu',    side: 'requests', name: 'cpu request' },
  { of: 'memory', side: 'requests', name: 'memory request' },
  { of: 'cpu',    side: 'limits',   name: 'cpu limit' },
  { of: 'memory', side: 'limits',   name: 'memory limit' },
  { of: 'gpu',    side: 'requests', name: 'gpu limit' }, // a GPU is never shared: in either place it counts as a limit
  { of: 'gpu',    side: 'limits',   name: 'gpu limit' },
] as const;

/** Validates every quantity by itself, in the order of the contract. */
export function checkQuantities(findings: Findings, resources: ResourceRequirements): void {
  for (const { of, side, name } of QUANTITIES) {
    const path = `spec.resources.${side}.${of}`;
    const problem = quantityProblem(resources[side][of], { of, limit: side === 'limits' });
    if (findings.misfit(path) || problem === undefined) continue;
    findings.add(path, 'invalid_quantity', `validation of ${name} is failed: ${problem}`);
  }
}

/** A request must not be above its limit. Nothing is said of quantities that are none. */
export function checkRequests(findings: Findings, resources: ResourceRequirements): void {
  for (const resource of ['cpu', 'memory'] as const) {
    const request = resources.requests[resource] ?? '';
    const [wanted, allowed] = [parseQuantity(request), parseQuantity(resources.limits[resource] ?? '')];
    if (wanted === undefined || allowed === undefined || wanted <= allowed) continue;
    const message = `resources.requests: Invalid value: "${request}": must be less than or equal to ${resource} limit`;
    findings.add(`spec.resources.requests.${resource}`, 'above_limit', message);
  }
}

/** A limit must not be above the installation's largest container. */
export function checkCeilings(findings: Findings, resources: ResourceRequirements, { ceilings }: Rules): void {
  if (ceilings === undefined) return;
  for (const resource of ['cpu', 'memory'] as const) {
    const limit = resources.limits[resource] ?? '';
    const [wanted, most] = [parseQuantity(limit), parseQuantity(ceilings[resource])];
    if (wanted === undefined || most === undefined || wanted <= most) continue;
    const message = `resources.limits: Invalid value: "${limit}": must be less than or equal to ${ceilings[resource]}, the largest ${resource} limit of this installation`;
    findings.add(`spec.resources.limits.${resource}`, 'above_limit', message);
  }
}
