import type { Endpoint } from '../kinds/endpoint.js';

/** The route table: what is served where. */
export interface EndpointStore {
  get(id: string): Promise<Endpoint | undefined>;
  list(): Promise<Endpoint[]>;
  put(endpoint: Endpoint): Promise<void>;
  remove(id: string): Promise<void>;
}
