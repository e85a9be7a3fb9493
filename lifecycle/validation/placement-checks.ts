import { isDeepStrictEqual } from 'node:util';
import type { Findings } from '../../platform/kinds/findings.js';
import type { ValidationContext } from './validation.js';

/** A node selector must equal one configured pool completely; none means any pool. */
export function checkNodeSelector(
  findings: Findings,
  nodeSelector: Readonly<Record<string, string>>,
  nodePools: readonly Readonly<Record<string, string>>[],
): void {
  if (findings.misfit('spec.nodeSelector')) return;
  const keys = Object.keys(nodeSelector).sort();
  if (keys.length === 0 || nodePools.some((pool) => isDeepStrictEqual({ ...pool }, { ...nodeSelector }))) return;
  const text = keys.map((key) => `${key}:${nodeSelector[key]}`).join(' ');
  const remedy = nodePools.length === 0 ? 'none is configured, leave nodeSelector out' : 'see SLIPWAY_NODE_POOLS';
  const message = `node selector map[${text}] equals no node pool: ${remedy}`;
  findings.add('spec.nodeSelector', 'not_supported', message);
}

/** @returns the output connection: the one that the spec names, else the installation's */
export async function checkOutputConnection(
  findings: Findings,
  named: string,
  { lookups, rules }: ValidationContext,
): Promise<string> {
  const id = named || (rules.outputConnection ?? '');
  if (findings.misfit('spec.outputConnection')) return id;
  const found = id === '' ? undefined : await lookups.connection(id);
  if (found === undefined) {
    const [code, problem] = id === '' ? ['required', 'empty "OutputConnection"'] : ['not_found', missing(id)];
    findings.add('spec.outputConnection', code, `"Spec."OutputConnection"" validation errors: ${problem}`);
  }
  return id;
}

export const missing = (id: string): string => `entity "${id}" is not found`;
