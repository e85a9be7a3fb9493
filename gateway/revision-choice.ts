import { hash } from 'node:crypto';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';

/**
 * The revisions of a deployment that can answer a call: the first one answers, the next one is there if it cannot be
 * reached. A growing share takes further callers to the candidate and none back.
 * @param key absent: chance decides
 */
export function revisionsOf(stable: Endpoint, key?: string): Endpoint[] {
  if (stable.candidate === undefined) return [stable];
  const { weight, endpoint: candidate } = stable.candidate;
  const isForCandidate = shareOf(candidate, key) * 100 < weight;
  if (isForCandidate && candidate.replicas.length > 0) return [candidate, stable];
  if (stable.replicas.length === 0) return [candidate];
  // A candidate without a share is the revision that served before: it was good.
  return weight === 0 ? [stable, candidate] : [stable];
}

/** A number from 0 to below 1, the same for the same caller as long as the rollout goes on. */
const shareOf = ({ id, generation }: Pick<Endpoint, 'id' | 'generation'>, key: string | undefined): number =>
  key === undefined
    ? Math.random()
    : hash('sha256', `${id}\0${generation}\0${key}`, 'buffer').readUIntBE(0, 6) / 2 ** 48;
