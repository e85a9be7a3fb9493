import { setTimeout as sleep } from 'node:timers/promises';
import { publishStub } from '../../test/e2e/stub-model.js';
import type { TestPlatform } from '../../test/e2e/platform.js';
import { createEvents, EVENTS, type EventName } from './events.js';
import { type LoadFigures, startLoad } from './load.js';
import { compareRecords, type RecordFigures } from './records.js';

export interface SteadyOptions {
  platform: TestPlatform;
  /** Every event happens once, also when it takes longer. */
  seconds: number;
  seed: number;
  report: (line: string) => void;
}

export interface SteadyFigures extends LoadFigures {
  seconds: number;
  events: Record<EventName, number>;
  /** Records of requests, of their answers, and of feedback. */
  records: Record<(typeof TAGS)[number], RecordFigures>;
}

const TAGS = ['request_response', 'response_body', 'feedback'] as const;
const CALLERS = 4;
/** Gateways read the routes each second. */
const AFTERWARDS_MS = 2_000;

/** Calls two deployments behind a route steadily while a seeded sequence of events happens, and compares in the end. */
export async function runSteady({ platform, seconds, seed, report }: SteadyOptions): Promise<SteadyFigures> {
  const [good, broken] = [await publishStub(platform), await publishStub(platform, 500)];
  const [route, one, other] = [platform.newId('steady'), platform.newId('one'), platform.newId('other')];
  const scene = { platform, images: { good, broken }, route, deployments: [one, other], seed };
  const events = createEvents(scene);
  await events.start();
  const url = `${platform.baseUrl}/custom/${route}/api/model/invoke`;
  const load = startLoad({ platform, url, callers: CALLERS, isBroken: events.isBroken });
  const began = Date.now();
  const passed = (): number => Math.round((Date.now() - began) / 1_000);
  const counts = Object.fromEntries(EVENTS.map((name) => [name, 0])) as Record<EventName, number>;
  try {
    for (let isFirst = true; isFirst || passed() < seconds; isFirst = false) {
      for (const event of events.nextRound()) {
        if (!isFirst && passed() >= seconds) break;
        report(`${passed()} s: ${event}: ${await events.act(event)}; ${load.figures.failed.length} failed`);
        counts[event] += 1;
      }
    }
    await sleep(AFTERWARDS_MS);
  } finally {
    await load.stop();
  }
  const { figures } = load;
  const entries: [string, RecordFigures][] = [];
  for (const tag of TAGS) {
    const wanted = tag === 'feedback' ? figures.registered : figures.answered;
    entries.push([tag, await compareRecords(platform.objects, tag, wanted)]);
  }
  const records = Object.fromEntries(entries) as SteadyFigures['records'];
  return { ...figures, seconds: passed(), events: counts, records };
}
