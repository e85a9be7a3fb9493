import type { Logger } from 'pino';
import type { Resource } from '../../platform/kinds/resource.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { logPrefix } from '../../platform/kinds/ids.js';
import type { RunKind } from '../../platform/kinds/ids.js';
import { isFinal } from '../../platform/kinds/run-status.js';
import type { RunStatus } from '../../platform/kinds/run-status.js';
import type { LogStore } from '../../platform/stores/logs.js';
import { toRef } from '../../platform/kinds/generation.js';
import type { FollowLimit } from './follow-limit.js';
import { parseLogQuery } from './log-query.js';
import { sendLog } from './log.js';
import type { LogTimes } from './log.js';
import type { ApiContext } from '../http/state.js';

export interface RunLogDeps {
  logs: LogStore;
  logger: Logger;
  follows: FollowLimit;
  logTimes?: LogTimes;
}

interface RunLog {
  kind: RunKind;
  run: Resource<object, RunStatus>;
  /** The run as it is stored now. */
  reload: () => Promise<Resource<object, RunStatus> | undefined>;
  /** The message for a log that has not begun. */
  notStarted: string;
}

/** Answers the log of one generation of a training or packaging. @throws bad_query, not_started; not_found when it was removed */
export async function sendRunLog(
  ctx: ApiContext,
  { kind, run, reload, notStarted }: RunLog,
  { logs, logger, follows, logTimes }: RunLogDeps,
): Promise<void> {
  const query = parseLogQuery(ctx);
  const prefix = logPrefix(kind, toRef(run));
  if (!query.follow && !(await logs.exists(prefix))) {
    const { state, startedAt } = run.status;
    if (!isFinal(state) || startedAt === undefined) throw new SlipwayError('not_started', notStarted);
    // Every run that began writes to its log, at the latest when it ends.
    const message = `the log of ${kind} "${run.id}" was removed: SLIPWAY_LOG_DAYS says how long logs are kept`;
    throw new SlipwayError('not_found', message);
  }
  const isOver = async () => {
    const current = await reload();
    const isSame = current?.uid === run.uid && current.generation === run.generation;
    return !isSame || isFinal(current.status.state);
  };
  const source = { since: run.status.startedAt ?? run.updatedAt, parts: async () => [{ prefix }], isOver };
  sendLog(ctx, { follows, logs, logger, source, query, ...(logTimes && { times: logTimes }) });
}
