import type { Deployment } from './deployment.js';
import type { Resource } from '../../platform/kinds/resource.js';

/** Traffic of one address. */
export interface RouteSpec {
  /** Starts with a slash, has none at its end. */
  urlPrefix: string;
  /** Id of a deployment that gets a copy of every request. */
  mirror?: string;
  /** Weights add up to 100. */
  modelDeployments: { mdName: string; weight: number }[];
}

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
    spec: { urlPrefix, modelDeployments: [{ mdName: id, weight: 100 }] },
    status: {
      edgeUrl: `${baseUrl.replace(/\/+$/, '')}${urlPrefix}`,
      state: status.state === 'Ready' ? 'Ready' : 'Processing',
    },
  };
}
