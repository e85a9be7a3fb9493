import type { Client } from '@temporalio/client';

type Events = NonNullable<Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']>;
type Event = Events[number];

export interface QueueWaits {
  longestSeconds: number;
  /** The longest wait by step. */
  bySecondsOfStep: Record<string, number>;
  /** Steps whose limit includes the wait for a slot. */
  limited: string[];
}

/** Reads from the histories of workflows how long their steps waited for a slot, and which limits would count that. */
export async function readWaits(client: Client, workflowIds: readonly string[]): Promise<QueueWaits> {
  const bySecondsOfStep: Record<string, number> = {};
  const limited = new Set<string>();
  for (const id of workflowIds) {
    const events = (await client.workflow.getHandle(id).fetchHistory()).events ?? [];
    const scheduled = new Map(events.map((event) => [String(event.eventId), event]));
    for (const event of events) {
      const { activityTaskScheduledEventAttributes: begun, activityTaskStartedEventAttributes: started } = event;
      const name = begun?.activityType?.name ?? '';
      const limits = [begun?.scheduleToCloseTimeout, begun?.scheduleToStartTimeout];
      if (begun && limits.some((limit) => Number(limit?.seconds ?? 0) > 0)) limited.add(name);
      // An attempt after the first one was not queued since the step was scheduled.
      if (!started || (started.attempt ?? 1) > 1) continue;
      const from = scheduled.get(String(started.scheduledEventId));
      const step = from?.activityTaskScheduledEventAttributes?.activityType?.name ?? '';
      const waited = from === undefined ? 0 : secondsOf(event) - secondsOf(from);
      bySecondsOfStep[step] = Math.max(bySecondsOfStep[step] ?? 0, Math.round(waited * 10) / 10);
    }
  }
  const longestSeconds = Math.max(0, ...Object.values(bySecondsOfStep));
  return { longestSeconds, bySecondsOfStep, limited: [...limited] };
}

const secondsOf = ({ eventTime }: Event): number => Number(eventTime?.seconds ?? 0) + (eventTime?.nanos ?? 0) / 1e9;
