import { cancellationSignal } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { failureIn } from '../../platform/kinds/reasons.js';
import type { Verdict } from './bake.js';
import { createCallsWindow } from './calls-window.js';
import type { DeploymentDeps } from './deployment-deps.js';
import { replicasIn } from './endpoint-publication.js';
import { FAILING_MS, judgeTakeover } from './rollout-rules.js';
import type { Serving } from './serving.js';

/** A revision that took over all calls at once. */
export interface Takeover {
  revision: Revision;
  /** The revision that the calls go back to. */
  former: Revision;
  untilMs: number;
}

type GuardDeps = Pick<DeploymentDeps, 'endpoints' | 'routeReaders' | 'pollMs'> & {
  serve: (serving: Serving) => Promise<never>;
};

/** Keeps the replicas of a revision running, and judges it, until the guard of its takeover is over. */
export function createGuard({ endpoints, routeReaders, serve, pollMs = 1_000 }: GuardDeps) {
  return async function guardRevision({ revision, former, untilMs }: Takeover): Promise<Verdict> {
    const { id } = revision.ref;
    const ended = new AbortController();
    const until = AbortSignal.any([cancellationSignal(), ended.signal]);
    let unreadySince: number | undefined;

    async function judgeCalls(): Promise<Verdict> {
      const window = createCallsWindow({ stable: former.ref.generation, candidate: revision.ref.generation });
      window.add(Date.now(), new Map()); // every call since it took over counts
      for (;;) {
        const now = Date.now();
        window.add(now, await routeReaders.callsOf(id));
        const unreadyMs = unreadySince === undefined ? 0 : now - unreadySince;
        const breach = judgeTakeover({ recent: window.last(FAILING_MS), span: window.span(), unreadyMs });
        if (breach !== undefined) return { outcome: 'breached', message: breach };
        if (now >= untilMs) return { outcome: 'passed' };
        await sleep(pollMs, undefined, { signal: until });
      }
    }

    // Without a replica the former revision would get its calls: this one does not rest before the guard is over.
    const awake = revision.scale && { ...revision.scale, min: Math.max(1, revision.scale.min) };
    const work = [
      serve({
        revision: { ...revision, ...(awake && { scale: awake }) },
        beside: { revision: former, replicas: replicasIn(await endpoints.get(id), former) },
        until,
        onReady: (replicas) => {
          unreadySince = replicas.length > 0 ? undefined : (unreadySince ?? Date.now());
        },
      }).catch((err: unknown): Verdict => {
        const failure = failureIn(err);
        if (failure === undefined) throw err;
        return { outcome: 'breached', message: failure.message };
      }),
      judgeCalls(),
    ];
    return Promise.race(work).finally(async () => {
      ended.abort();
      await Promise.allSettled(work);
    });
  };
}
