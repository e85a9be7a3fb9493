import type { Woken } from './scaling.js';

/** Where the gateways ask the supervisors of this process for a replica. */
export interface WakePort {
  address: () => { url: string; token: string };
  /** Takes the requests for a deployment. @returns ends it */
  open: (id: string, wake: () => Promise<Woken>) => () => void;
}
