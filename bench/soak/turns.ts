import type { Client } from '../../examples/wine/demo/client.js';
import { PIPELINES } from '../../test/e2e/pipeline-projects.js';
import { median } from '../report.js';

export interface Run {
  pipeline: string;
  /** When its schedule meant it to start, in milliseconds. */
  at: number;
  state: string;
  isOver: boolean;
  /** From the time that was meant to the end; how starts are spread counts too. */
  endedAfterMs: number;
}

interface RunReply {
  spec: { pipeline: string; trigger: { at: string } };
  status: { state: string; finishedAt?: string };
}

const PAGE = 100;

/** Every run of these pipelines. */
export async function readRuns(admin: Client, ids: readonly string[]): Promise<Run[]> {
  const runs: Run[] = [];
  for (const id of ids) {
    for (let page = 0; ; page += 1) {
      const { body } = await admin.call<RunReply[]>('GET', `${PIPELINES}/${id}/run?size=${PAGE}&page=${page}`);
      runs.push(...body.map(toRun));
      if (body.length < PAGE) break;
    }
  }
  return runs;
}

function toRun({ spec: { pipeline, trigger }, status: { state, finishedAt } }: RunReply): Run {
  const at = Date.parse(trigger.at);
  const isOver = state === 'succeeded' || state === 'failed';
  return { pipeline, at, state, isOver, endedAfterMs: Date.parse(finishedAt ?? '') - at };
}

interface Expected {
  ids: readonly string[];
  begin: number;
  end: number;
  everyMs: number;
}

/** Holds the runs against the turns that there had to be, `begin` and `end` among them. */
export function judge(all: readonly Run[], { ids, begin, end, everyMs }: Expected) {
  const runs = all.filter(({ at }) => at >= begin && at <= end);
  const found = new Map<string, number>();
  for (const { pipeline, at } of runs) {
    const turn = `${pipeline} ${at - (at % everyMs)}`; // starts that are spread begin later
    found.set(turn, (found.get(turn) ?? 0) + 1);
  }
  const times = Array.from({ length: (end - begin) / everyMs + 1 }, (_, turn) => begin + turn * everyMs);
  const expected = new Set(ids.flatMap((id) => times.map((at) => `${id} ${at}`)));
  const delays = runs
    .flatMap(({ endedAfterMs }) => (Number.isNaN(endedAfterMs) ? [] : [endedAfterMs]))
    .sort((one, other) => one - other);
  return {
    turns: expected.size,
    runs: runs.length,
    succeeded: runs.filter(({ state }) => state === 'succeeded').length,
    withoutRun: [...expected].filter((turn) => !found.has(turn)).length,
    doubled: [...found.values()].filter((count) => count > 1).length,
    unexpected: [...found.keys()].filter((turn) => !expected.has(turn)).length,
    stuck: runs.filter(({ isOver }) => !isOver).length,
    endedAfterMs: { median: median(delays), p99: delays[Math.floor(delays.length * 0.99)] ?? NaN },
  };
}
