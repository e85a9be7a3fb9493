/** The services that an installation needs, by the names that `/health` shows. */
export const BACKING_SERVICES = ['database', 'temporal', 'object storage', 'registry', 'engine', 'issuer'] as const;
export type BackingService = (typeof BACKING_SERVICES)[number];

/** The first step of an operator when a service is down. */
export const SERVICE_REMEDIES = {
  database: 'check MONGODB_URI, and that the API may connect to it',
  temporal: 'check TEMPORAL_ADDRESS, and that the API may connect to it',
  'object storage': 'check SLIPWAY_BUCKET and its credentials',
  registry: 'check SLIPWAY_REGISTRY',
  engine: 'check DOCKER_HOST, and that the engine runs',
  issuer: 'check OIDC_ISSUER: every login needs it',
} as const satisfies Record<BackingService, string>;

/** A service that is down. */
export interface Outage {
  name: BackingService;
  /** A few words that hold no address and no secret. */
  reason: string;
}

/** The checks of an installation beside its services, by the names that `/health` shows. */
export const INSTALLATION_CHECKS = ['list indexes', 'clock', 'search attributes', 'egress of containers'] as const;
export type InstallationCheck = (typeof INSTALLATION_CHECKS)[number];

/** A fault with which the installation works worse, or not in every part. */
export interface Degradation {
  name: InstallationCheck;
  /** A sentence that holds no address and no secret. */
  reason: string;
  /** The next step of an operator. */
  remedy: string;
}
