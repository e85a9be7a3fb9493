import type { Client } from '@temporalio/client';

/** Seconds by phase, in the order in which they were spent. */
export type Phases = Readonly<Record<string, number>>;

interface Packed {
  id: string;
  createdAt: string;
  /** The log of the packaging, which says how long the parts of its steps took. */
  log: string;
}

/**
 * Where the time of one packaging went: its steps and what lies between them by the history, the parts of the steps
 * (indented) by the log.
 */
export async function readPhases(client: Client, { id, createdAt, log }: Packed): Promise<Phases> {
  const handle = client.workflow.getHandle(`packaging/${id}`);
  await handle.result();
  const { events } = await handle.fetchHistory();
  const byId = new Map((events ?? []).map((event) => [String(event.eventId), event]));
  const parts = log.split('=== ').slice(1).map(partsOf);
  const phases: Record<string, number> = { 'between the steps': 0 };
  let before = Date.parse(createdAt);
  for (const { activityTaskCompletedEventAttributes: completed, eventTime } of events ?? []) {
    if (!completed) continue;
    const scheduled = byId.get(String(completed.scheduledEventId))?.activityTaskScheduledEventAttributes;
    const began = milliseconds(byId.get(String(completed.startedEventId))?.eventTime);
    const name = scheduled?.activityType?.name ?? 'unknown';
    phases['between the steps'] = (phases['between the steps'] ?? 0) + (began - before) / 1_000;
    before = milliseconds(eventTime);
    phases[name] = (before - began) / 1_000;
    const step = STEPS[name];
    let rest = phases[name];
    for (const [part, seconds] of parts.find((each) => each.step === step)?.parts ?? []) {
      phases[`- ${part}`] = seconds;
      rest -= seconds;
    }
    if (step !== undefined) phases[`- rest of ${name}`] = rest;
  }
  return phases;
}

/** The step of the log that an activity writes. */
const STEPS: Readonly<Record<string, string>> = { buildImage: 'build', testImage: 'check', pushImage: 'push' };

function partsOf(text: string): { step: string; parts: [string, number][] } {
  const [step = '', ...lines] = text.split('\n');
  const parts = lines.flatMap((line): [string, number][] => {
    const [, part = '', seconds] = /^INFO (.+): (\d+\.\d+) s$/.exec(line) ?? [];
    return part === '' ? [] : [[part, Number(seconds)]];
  });
  return { step, parts };
}

function milliseconds(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds) * 1_000 + (time?.nanos ?? 0) / 1e6;
}
