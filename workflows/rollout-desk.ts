import { CancellationScope, defineSignal, isCancellation, setHandler } from '@temporalio/workflow';
import { ROLLOUT_ACTIONS, type RolloutAction, type RolloutRequest } from '../lifecycle/kinds/rollout.js';

const DESCRIPTIONS = {
  pause: 'the weights stay until it is resumed; a bad candidate still loses its traffic',
  resume: 'the step that was paused goes on',
  promote: 'the candidate gets all traffic at once',
  abort: 'the stable revision gets all traffic back',
} as const satisfies Record<RolloutAction, string>;

/** What persons asked of a rollout. */
export interface RolloutDesk {
  paused: boolean;
  /** The first one counts. */
  decision?: { action: 'promote' | 'abort'; by: string };
  /** Runs `work` until it ends or a person asks for something. @returns undefined when it was interrupted */
  untilAsked<T>(work: () => Promise<T>): Promise<T | undefined>;
}

/** Accepts requests for the rollout of a generation from now on. */
export function openRolloutDesk(generation: number): RolloutDesk {
  let interrupt = (): void => {};
  let asked = 0;
  let seen = 0;
  const desk: RolloutDesk = {
    paused: false,
    async untilAsked(work) {
      if (asked > seen) {
        seen = asked;
        return undefined;
      }
      const scope = new CancellationScope();
      interrupt = () => scope.cancel();
      return scope.run(work).catch((err: unknown) => {
        if (!(isCancellation(err) && asked > seen)) throw err;
        seen = asked;
        return undefined;
      });
    },
  };
  for (const action of ROLLOUT_ACTIONS) {
    const handle = (request: RolloutRequest): void => {
      if (request.generation !== generation) return;
      if (action === 'pause') desk.paused = true;
      else if (action === 'resume') desk.paused = false;
      else desk.decision ??= { action, by: request.by };
      asked += 1;
      interrupt();
    };
    setHandler(defineSignal<[RolloutRequest]>(action), handle, { description: DESCRIPTIONS[action] });
  }
  return desk;
}
