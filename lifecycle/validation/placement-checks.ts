import { isDeepStrictEqual } from 'node:util';
import { canonical } from '../kinds/aliases.js';
import { REGISTRIES } from '../kinds/built-in-rules.js';
import { isObjectStore } from '../kinds/object-location.js';
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
  } else if (!isObjectStore(found.spec.type)) {
    const problem = `connection "${id}" has type ${found.spec.type}: name one of type object-store`;
    const message = `"Spec."OutputConnection"" validation errors: ${problem}`;
    findings.add('spec.outputConnection', 'wrong_connection_type', message);
  }
  return id;
}

/** Images are pulled without credentials where a deployment names none and the default one is gone. */
export async function checkPullConnection(
  findings: Findings,
  id: string | undefined,
  { lookups }: Pick<ValidationContext, 'lookups'>,
): Promise<void> {
  const path = 'spec.imagePullConnID';
  if (findings.misfit(path) || !id) return;
  const found = await lookups.connection(id);
  if (found === undefined) return findings.add(path, 'not_found', `imagePullConnID: ${missing(id)}`);
  const { type } = found.spec;
  if (REGISTRIES.includes(canonical('connectionType', type))) return;
  const message = `imagePullConnID: connection "${id}" has type ${type}: name one of type container-registry or cloud-registry`;
  findings.add(path, 'wrong_connection_type', message);
}

export const missing = (id: string): string => `entity "${id}" is not found`;
