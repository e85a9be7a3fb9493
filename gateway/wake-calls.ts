import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';

/** The replicas that a call was given, and the place in time of their route. */
export const Woken = z.object({
  epoch: z.number(),
  version: z.number(),
  replicas: z.array(z.object({ name: z.string(), url: z.string() })).min(1),
});
export type Woken = z.infer<typeof Woken>;

/** A supervisor has a deadline of its own for a start. */
const ANSWER_MS = 120_000;

/** Asks the supervisor of a deployment that rests for a replica. */
export function createWakeCalls() {
  const dispatcher = new Agent({ connect: { timeout: 2_000 }, headersTimeout: ANSWER_MS });
  return {
    /** @throws no_replica when the supervisor could not start one; another error when it does not answer */
    wake: async ({ id, wake }: Endpoint): Promise<Woken> => {
      if (wake === undefined) throw new Error('the supervisor has no address');
      const reply = await request(`${wake.url}/wake/${encodeURIComponent(id)}`, {
        ...{ method: 'POST', headers: { authorization: `Bearer ${wake.token}` }, dispatcher },
      });
      const body: unknown = await reply.body.json();
      if (reply.statusCode === 200) return Woken.parse(body);
      const refusal = z.object({ message: z.string() }).safeParse(body);
      if (reply.statusCode === 503 && refusal.success) throw new SlipwayError('no_replica', refusal.data.message);
      throw new Error(`the supervisor answers ${reply.statusCode}`);
    },
    close: (): Promise<void> => dispatcher.destroy(),
  };
}
