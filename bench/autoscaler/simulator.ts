import {
  autoscaler,
  type AutoscalerSettings,
  autoscalerSettings,
  startAutoscaler,
} from '../../activities/deployment/autoscaler.js';

/** Calls at once, at a second of the trace. */
export type Load = (second: number) => number;

export interface Simulation {
  load: Load;
  seconds: number;
  min?: number;
  max?: number;
  /** From the decision until a new replica takes calls. */
  startSeconds?: number;
  settings?: AutoscalerSettings;
}

/** One tick of a simulated deployment. */
export interface Tick {
  second: number;
  load: number;
  desired: number;
  ready: number;
}

/** Runs the autoscaler on a load, with replicas that need a time to start and end at once. */
export function simulate({
  load,
  seconds,
  min = 0,
  max = 100,
  startSeconds = 4,
  settings = autoscalerSettings(),
}: Simulation): Tick[] {
  let ready = Math.max(1, min);
  let state = startAutoscaler(0, ready);
  const starting: { second: number; count: number }[] = [];
  const ticks: Tick[] = [];
  const step = settings.tickMs / 1_000;
  for (let second = step; second <= seconds; second += step) {
    const concurrency = load(second);
    const begun = starting.filter((each) => each.second <= second).at(-1)?.count ?? ready;
    ready = Math.min(Math.max(ready, begun), state.desired);
    state = autoscaler(state, { atMs: second * 1_000, concurrency, ready, min, max, isComplete: true }, settings);
    if (state.desired !== starting.at(-1)?.count)
      starting.push({ second: second + startSeconds, count: state.desired });
    ticks.push({ second, load: concurrency, desired: state.desired, ready });
  }
  return ticks;
}

/** The named loads; 7 calls at once are one replica's. */
export const TRACES = {
  /** 5 replicas' worth from one moment on. */
  step: (second) => (second < 60 ? 3 : 35),
  /** Up by one call every two seconds, then nothing. */
  ramp: (second) => (second <= 240 ? second / 4 : 0),
  /** Ten seconds of 200 calls at once. */
  spike: (second) => (second > 60 && second <= 70 ? 200 : 3),
  /** Between 0 and 70, a period of four minutes. */
  sine: (second) => 35 - 35 * Math.cos((second * Math.PI) / 120),
} as const satisfies Record<string, Load>;
