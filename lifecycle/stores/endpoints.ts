import type { Endpoint } from '../kinds/endpoint.js';

/**
 * The route table: what is served where. An attempt of a step may live on after the one that replaced it, so each
 * attempt writes a row of its own under its epoch, and of each deployment the row of the newest epoch counts.
 */
export interface EndpointStore {
  get(id: string): Promise<Endpoint | undefined>;
  list(): Promise<Endpoint[]>;
  /** @returns false when a newer epoch has written: nothing changes then */
  put(endpoint: Endpoint, epoch: number): Promise<boolean>;
  /** Takes the deployment out of service. @returns as `put` */
  withdraw(deployment: Pick<Endpoint, 'id' | 'uid'>, epoch: number): Promise<boolean>;
  /** Whether the row of an epoch is there: a newer writer removes it. */
  holds(id: string, epoch: number): Promise<boolean>;
  /** The epoch that counts; 0 when there was none. */
  epochOf(id: string): Promise<number>;
}
