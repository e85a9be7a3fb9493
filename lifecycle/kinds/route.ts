import type { z } from 'zod';
import type { Deployment } from './deployment.js';
import { integer, list, object, optionalInteger, optionalText, text } from '../../platform/kinds/lenient.js';
import type { Resource } from '../../platform/kinds/resource.js';

/** Where routes that are no deployment's own begin. */
export const CUSTOM_PREFIX = '/custom';

const routeSpec = <Weight extends z.ZodType>(weight: Weight) =>
  object({
    /** Starts with a slash, has none at its end. */
    urlPrefix: text(),
    mirror: optionalText().meta({ description: 'id of a deployment that gets a copy of every request' }),
    modelDeployments: list(object({ mdName: text(), weight })).meta({ description: 'weights add up to 100' }),
    /** At most one: calls with the same value get the same deployment. Without a value, chance decides. */
    sticky: object({
      header: optionalText().meta({ description: 'name of a header' }),
      cookie: optionalText().meta({ description: 'name of a cookie that the gateway sets' }),
      field: optionalText().meta({ description: 'field of the JSON body, such as `customer.id` or `data.0.0`' }),
    }),
  });

/** Traffic of one address, as a client writes it: the weight of a single target may be absent. */
export const WantedRouteSpec = routeSpec(optionalInteger());
export type WantedRouteSpec = z.infer<typeof WantedRouteSpec>;

/** Traffic of one address. */
export const RouteSpec = routeSpec(integer(100));
export type RouteSpec = z.infer<typeof RouteSpec>;
export type Sticky = RouteSpec['sticky'];

export interface RouteStatus {
  /** Absolute, without a slash at the end. */
  edgeUrl: string;
  state: '' | 'Processing' | 'Ready';
}
export type Route = Resource<RouteSpec, RouteStatus>;

/** The id is drawn once with the deployment: five hexadecimal digits of its `uid` tell it from an earlier one's. */
export const defaultRouteId = ({ id, uid }: Pick<Deployment, 'id' | 'uid'>): string =>
  `${id.slice(0, 57).replace(/-+$/, '')}-${uid.replaceAll('-', '').slice(0, 5)}`;

/** The route that every deployment has from its first moment to its last; it is never stored apart from it. */
export function defaultRoute(deployment: Deployment, baseUrl: string): Route {
  const { id, uid, generation, revision, createdAt, updatedAt, createdBy, updatedBy, status } = deployment;
  const urlPrefix = `/model/${id}`;
  return {
    kind: 'ModelRoute',
    id: defaultRouteId(deployment),
    ...{ uid, generation, revision, createdAt, updatedAt, createdBy, updatedBy },
    default: true,
    ...(deployment.deletionMark ? { deletionMark: true } : {}),
    spec: { urlPrefix, modelDeployments: [{ mdName: id, weight: 100 }], sticky: {} },
    status: {
      edgeUrl: edgeUrl(urlPrefix, baseUrl),
      state: status.state === 'Ready' ? 'Ready' : 'Processing',
    },
  };
}

export const edgeUrl = (urlPrefix: string, baseUrl: string): string => `${baseUrl.replace(/\/+$/, '')}${urlPrefix}`;

/** Two creations at the same moment can make two routes with one address: the older one has it. */
export const byPrecedence = (one: Route, other: Route): number =>
  compare(one.createdAt, other.createdAt) || compare(one.id, other.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
