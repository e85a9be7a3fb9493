import { setTimeout as sleep } from 'node:timers/promises';
import { stateOf, type Entity, type Kind, type RunKind, type Slipway } from '../../client/index.js';
import { nameOf, type Target } from '../kinds.js';
import type { Display } from './display.js';

interface Following {
  slipway: Slipway;
  target: Target;
  display: Display;
  signal: AbortSignal;
  timeoutMs: number | undefined;
}

/** How long the last lines of a log may come after the end of its run. */
const LAST_LINES_MS = 3_000;

const isRun = (kind: Kind): kind is RunKind => kind === 'ModelTraining' || kind === 'ModelPackaging';

/** Shows state, step and log of one entity until it has come to its end. @throws timeout, not_found */
export async function follow({ slipway, target, display, signal, timeoutMs }: Following): Promise<Entity> {
  const { kind, id } = target;
  const name = nameOf(target);
  const over = new AbortController();
  let entity: Entity | undefined;
  let step: string | undefined;
  const draw = (): void => {
    if (entity !== undefined) display.set(name, { state: stateOf(entity), step, detail: detailOf(entity) });
  };

  async function showLog(run: RunKind): Promise<void> {
    const lines = slipway.log(run, id, { follow: true, signal: AbortSignal.any([signal, over.signal]) });
    for await (const line of lines) {
      const begun = /^=== (\S+)$/.exec(line)?.[1];
      if (begun === undefined) display.line(name, line);
      else {
        step = begun;
        draw();
      }
    }
  }

  // The log is a help only: what it cannot say, the state says.
  const log = isRun(kind) ? showLog(kind).catch(() => undefined) : Promise.resolve();
  try {
    const onChange = (changed: Entity): void => {
      entity = changed;
      draw();
    };
    const end = await slipway.wait(kind, id, { onChange, signal, timeoutMs });
    await Promise.race([log, sleep(LAST_LINES_MS, undefined, { signal, ref: false })]);
    return end;
  } finally {
    over.abort();
    await log;
  }
}

function detailOf(entity: Entity): string | undefined {
  if (entity.kind !== 'ModelDeployment') return undefined;
  const { replicas, availableReplicas, reason } = entity.status;
  return [`${availableReplicas}/${replicas} replicas ready`, ...(reason === undefined ? [] : [reason])].join(', ');
}
