import type { Client } from '@temporalio/client';

interface Window {
  begin: number;
  end: number;
  everyMs: number;
}

/** Counts the rounds of a control loop that started within a time, by the records of Temporal. */
export async function readRounds(client: Client, workflow: string, { begin, end, everyMs }: Window) {
  const query = `WorkflowType = '${workflow}' AND StartTime >= '${iso(begin)}' AND StartTime < '${iso(end)}'`;
  const seconds: number[] = [];
  let failed = 0;
  for await (const { startTime, closeTime, status } of client.workflow.list({ query })) {
    if (status.name !== 'COMPLETED' && status.name !== 'RUNNING') failed += 1;
    if (closeTime) seconds.push((closeTime.getTime() - startTime.getTime()) / 1_000);
  }
  const expected = Math.floor((end - begin) / everyMs);
  const meanSeconds = seconds.reduce((sum, value) => sum + value, 0) / seconds.length;
  const missed = Math.max(0, expected - seconds.length);
  return { expected, ended: seconds.length, missed, failed, meanSeconds, longestSeconds: Math.max(...seconds) };
}

const iso = (at: number): string => new Date(at).toISOString();
