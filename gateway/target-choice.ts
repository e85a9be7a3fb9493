import { hash } from 'node:crypto';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import type { RouteMatch } from './route-table.js';

/** A number above 0 and below 1 for a deployment. */
type Draw = (deployment: string) => number;

const byChance: Draw = () => 1 - Math.random();

/** The same number for the same key, whatever the weights are. */
const byKey =
  (routeId: string, key: string): Draw =>
  (deployment) =>
    (hash('sha256', `${routeId}\0${deployment}\0${key}`, 'buffer').readUIntBE(0, 6) + 0.5) / 2 ** 48;

/**
 * Orders the deployments of a route for one call: the first one answers, the next ones are there if it cannot be reached.
 * Weighted rendezvous hashing: each deployment draws `-ln(u) / weight`, and the smallest comes first, which for a share of
 * weight/sum of all calls is this one. A key draws the same `u` always, so a change of weights moves a key only
 * away from a weight that shrank or to one that grew, and a deployment that is gone leaves its keys to the others by their
 * weights.
 * @param key absent: chance decides
 */
export function rankTargets({ route, targets }: Pick<RouteMatch, 'route' | 'targets'>, key?: string): Endpoint[] {
  const weighted = targets.filter(({ weight }) => weight > 0);
  const ready = weighted.filter(({ endpoint }) => takesCalls(endpoint));
  const draw = key === undefined ? byChance : byKey(route.id, key);
  return (ready.length > 0 ? ready : weighted)
    .map(({ endpoint, weight }) => ({ endpoint, turn: -Math.log(draw(endpoint.id)) / weight }))
    .sort((one, other) => one.turn - other.turn)
    .map(({ endpoint }) => endpoint);
}

/** A deployment that was paused or stopped for want of calls starts again for one. */
const takesCalls = ({ replicas, rest }: Endpoint): boolean =>
  replicas.length > 0 || rest === 'paused' || rest === 'stopped';
