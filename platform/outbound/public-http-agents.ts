import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createJudgedLookup, type JudgedLookupOptions } from './judged-lookup.js';

export type PublicHttpAgents = ReturnType<typeof createPublicHttpAgents>;

/** As `createPublicAgent`, for libraries that use Node's own HTTP client. */
export function createPublicHttpAgents(options: JudgedLookupOptions) {
  const { lookup, refusedHost } = createJudgedLookup(options);
  return {
    httpAgent: judged(new HttpAgent({ keepAlive: true, lookup }), refusedHost),
    httpsAgent: judged(new HttpsAgent({ keepAlive: true, lookup }), refusedHost),
  };
}

function judged<A extends HttpAgent>(agent: A, refusedHost: (name: string) => Error | undefined): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) => {
    const err = refusedHost(target.host ?? '');
    if (err === undefined) return connect(target, callback);
    (callback as ((err: Error) => void) | undefined)?.(err); // with an error there is no stream, which the type asks for
    return undefined;
  };
  return agent;
}
