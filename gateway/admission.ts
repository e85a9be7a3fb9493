import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '../lifecycle/kinds/endpoint.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import { mayInvoke, mayInvokeAll, whoMayInvoke, whoMayInvokeAll } from './access.js';
import type { Caller, VerifyCaller } from './caller.js';
import type { HeaderList } from './headers.js';
import { type ModelPath, parseModelPath, toModelPath } from './model-path.js';
import type { Routes } from './routes.js';
import { revisionsOf } from './revision-choice.js';
import { readStickyKey } from './sticky-key.js';
import { rankTargets } from './target-choice.js';

/** A call that may be made. */
export interface Admitted {
  path: ModelPath;
  /** Deployments that can answer, at least one: a next one only if the one before cannot be reached. */
  candidates: readonly Endpoint[];
  /** Subject of the token. */
  caller: string;
  /** Gets a copy. */
  mirror?: Endpoint | undefined;
  /** Headers of the reply, beside those of every reply. */
  headers: HeaderList;
}

export interface AdmissionDeps {
  routes: Pick<Routes, 'lookup' | 'match'>;
  verify: VerifyCaller;
}

/**
 * Admits calls to deployments and custom routes. Authentication comes first, then authorization, then existence: names
 * cannot be probed.
 */
export function createAdmission({ routes, verify }: AdmissionDeps) {
  async function toDeployment(caller: Caller, url: string): Promise<Admitted> {
    const path = parseModelPath(url);
    const endpoint = path === undefined ? undefined : await routes.lookup(path.id);
    if (!mayInvoke(caller, endpoint)) throw new SlipwayError('forbidden', whoMayInvoke(caller, endpoint));
    if (path === undefined || endpoint === undefined) throw new SlipwayError('not_found', 'no such deployment');
    return { path, candidates: revisionsOf(endpoint), caller: caller.subject, headers: [] };
  }

  async function toRoute(
    caller: Caller,
    req: IncomingMessage,
    { url, readBody }: { url: string; readBody: (caller: string) => Promise<Buffer> },
  ): Promise<Admitted> {
    const [address = '', ...query] = url.split(/(?=\?)/);
    const match = await routes.match(address);
    const endpoints = match?.targets.map(({ endpoint }) => endpoint) ?? [];
    if (!mayInvokeAll(caller, endpoints)) {
      throw new SlipwayError('forbidden', whoMayInvokeAll(caller, match?.route.spec.urlPrefix ?? '', endpoints));
    }
    if (match === undefined) throw new SlipwayError('not_found', 'no such route');
    const path = toModelPath(match.route.spec.urlPrefix, match.rest, query.join(''));
    const read = (): Promise<Buffer> => readBody(caller.subject);
    const { key, headers } = path.known ? await readStickyKey(req, match.route, read) : { headers: [] };
    const candidates = rankTargets(match, key).flatMap((endpoint) => revisionsOf(endpoint, key));
    if (candidates.length === 0) throw new SlipwayError('no_replica', 'no deployment of the route is ready');
    return { path, candidates, caller: caller.subject, mirror: match.mirror, headers };
  }

  /** @param readBody for a route that is sticky by a field of the body */
  return async function admit(req: IncomingMessage, readBody: (caller: string) => Promise<Buffer>): Promise<Admitted> {
    const caller = await verify(req.headers.authorization);
    const url = req.url ?? '';
    return url.startsWith('/custom/') ? toRoute(caller, req, { url, readBody }) : toDeployment(caller, url);
  };
}
