/** The services that an installation needs, by the names that `/health` shows. */
export const BACKING_SERVICES = ['database', 'temporal', 'object storage', 'registry', 'engine', 'issuer'] as const;
export type BackingService = (typeof BACKING_SERVICES)[number];

/** A service that is down. */
export interface Outage {
  name: BackingService;
  /** A few words that hold no address and no secret. */
  reason: string;
}
