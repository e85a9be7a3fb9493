import { setTimeout as sleep } from 'node:timers/promises';
import { isRun, stateOf, type Entity, type RunKind, type Slipway } from '../../client/index.js';
import type { CliContext } from '../context.js';
import { findKind, nameOf, type Target } from '../kinds.js';
import type { Display } from './progress.js';

interface Following extends Pick<CliContext, 'now' | 'pause'> {
  slipway: Slipway;
  target: Target;
  display: Display;
  signal: AbortSignal;
  timeoutMs: number | undefined;
}

/** How long the last lines of a log may come after the end of its run. */
const LAST_LINES_MS = 3_000;

/** Shows state, step and log of one entity until it has come to its end. @throws timeout, not_found */
export async function follow(following: Following): Promise<Entity> {
  const { slipway, target, display, signal, timeoutMs, now, pause } = following;
  const over = new AbortController();
  const logs = followLogs(slipway, display, { signal: AbortSignal.any([signal, over.signal]), now, pause });
  if (isRun(target.kind)) logs.add({ kind: target.kind, id: target.id }, nameOf(target));
  const onChange = (entity: Entity): void => {
    display.set(nameOf(target), { state: stateOf(entity), detail: detailOf(entity) });
    if (entity.kind === 'PipelineRun') showSteps(entity, display, logs);
  };
  try {
    const end = await slipway.wait(target.kind, target.id, { onChange, signal, timeoutMs, now, pause });
    await Promise.race([logs.ended(), sleep(LAST_LINES_MS, undefined, { signal, ref: false })]);
    return end;
  } finally {
    over.abort();
    await logs.ended();
  }
}

/** Each step of a run on a line of its own, with the log of the training or packaging that it makes. */
function showSteps(run: Entity<'PipelineRun'>, display: Display, logs: Logs): void {
  for (const { name, state, child, reusedFrom, message } of run.status.steps) {
    const row = `${nameOf(run)} ${name}`;
    const how = reusedFrom === undefined ? child : `reused ${reusedFrom}`;
    const hint = state === 'waiting' && name === 'approval' ? `slipway approve ${run.id} --reason ...` : undefined;
    display.set(row, { state, detail: [how, message, hint].filter(Boolean).join(', ') || undefined });
    // A step has begun before it is known who does its work.
    const [word, id] = child?.split('/') ?? [];
    if (state !== 'running' || word === undefined || id === undefined) continue;
    const kind = findKind(word);
    if (isRun(kind)) logs.add({ kind, id }, row);
  }
}

interface Logs {
  /** Shows the log of a run under the name of a row; a second time changes nothing. */
  add(run: { kind: RunKind; id: string }, row: string): void;
  ended(): Promise<unknown>;
}

/** The log is a help only: what it cannot say, the state says. */
function followLogs(slipway: Slipway, display: Display, patience: Pick<CliContext, 'signal' | 'now' | 'pause'>): Logs {
  const followed = new Map<string, Promise<void>>();

  async function show({ kind, id }: { kind: RunKind; id: string }, row: string): Promise<void> {
    for await (const line of slipway.log(kind, id, { follow: true, ...patience })) {
      const step = /^(?:INFO )?=== (\S+)$/.exec(line)?.[1];
      if (step === undefined) display.line(row, line);
      else display.set(row, { step });
    }
  }

  return {
    add(run, row) {
      if (!followed.has(row))
        followed.set(
          row,
          show(run, row).catch(() => undefined),
        );
    },
    ended: () => Promise.all(followed.values()),
  };
}

function detailOf({ kind, status }: Entity): string | undefined {
  if (kind === 'ModelDeployment') {
    const { replicas, availableReplicas, reason } = status;
    return [`${availableReplicas}/${replicas} replicas ready`, ...(reason === undefined ? [] : [reason])].join(', ');
  }
  if (kind === 'InferenceJob' && status.message === undefined && status.files !== undefined)
    return `${status.files.done} of ${status.files.total} files`;
  // The message of a failed run is part of the error.
  const isOver = 'state' in status && status.state === 'failed';
  return 'message' in status && !isOver ? status.message : undefined;
}
