import type { Deployment } from '../../lifecycle/kinds/deployment.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { logPrefix } from '../../platform/kinds/ids.js';
import { toRef } from '../../platform/kinds/generation.js';
import { parseLogQuery } from './log-query.js';
import { sendLog } from './log.js';
import type { LogPart } from './log.js';
import type { RunLogDeps } from './run-log.js';
import type { ApiContext } from '../http/state.js';

interface DeploymentLog {
  deployment: Deployment;
  /** The deployment as it is stored now. */
  reload: () => Promise<Deployment | undefined>;
}

/**
 * Answers the logs of all replicas, each line after `[replica] `. A replica keeps its log over restarts, so what a
 * output of a crashed replica comes before that of its successor; `previous` shows the replicas of the generation before,
 * and `generation` those of that one alone: its follow ends when there is a newer one.
 * @throws bad_query, not_found for a replica that is not there, not_started
 */
export async function sendDeploymentLog(
  ctx: ApiContext,
  { deployment, reload }: DeploymentLog,
  { logs, logger, follows, logTimes }: RunLogDeps,
): Promise<void> {
  const query = parseLogQuery(ctx);
  const wanted = ({ label }: LogPart) => query.replica === undefined || label === query.replica;
  const possible = (current: Deployment): LogPart[] => {
    const { generation, ...ref } = toRef(current);
    const shown = query.generation ?? (query.previous ? generation - 1 : generation);
    return replicaParts(current, { ...ref, generation: shown });
  };
  const begun = async (): Promise<LogPart[]> => {
    const current = await reload();
    if (current?.uid !== deployment.uid) return [];
    const each = possible(current).map(async (part) => ((await logs.exists(part.prefix)) ? [part] : []));
    return (await Promise.all(each)).flat();
  };
  const parts = async () => (await begun()).filter(wanted);
  const isOver = async () => {
    const current = await reload();
    return current?.uid !== deployment.uid || (query.generation ?? current.generation) !== current.generation;
  };
  const absent = () => new SlipwayError('not_found', `deployment "${deployment.id}" has no replica ${query.replica}`);
  if (!possible(deployment).some(wanted)) throw absent();
  if (!query.follow) {
    const found = await begun();
    if (found.length === 0)
      throw new SlipwayError('not_started', `model deployment ${deployment.id} has not started yet`);
    if (!found.some(wanted)) throw absent();
  }
  const source = { since: deployment.updatedAt, parts, isOver };
  sendLog(ctx, { follows, logs, logger, source, query, ...(logTimes && { times: logTimes }) });
}

/** Every replica that the generation can have; they are counted from 0. */
function replicaParts({ spec }: Deployment, ref: ReturnType<typeof toRef>): LogPart[] {
  const most = Math.max(1, spec.minReplicas, spec.maxReplicas);
  return Array.from({ length: Math.min(most, 100) }, (_, index) => {
    const label = `r${index}`;
    return { prefix: logPrefix('deployment', ref, label), label };
  });
}
