import type { IndexRow } from './index-file.js';

/** Records that the index keeps. */
export interface Traffic {
  /** Calls by `<uid of the deployment>/<generation>`. */
  calls: Map<string, number>;
  /** Feedback by `<model>/<version>`, both percent-encoded. */
  feedback: Map<string, number>;
}

export const trafficKey = (model: string, version: string): string =>
  `${encodeURIComponent(model)}/${encodeURIComponent(version)}`;

/** Sums the records of these rows. */
export function trafficOf(rows: readonly IndexRow[]): Traffic {
  const traffic: Traffic = { calls: new Map(), feedback: new Map() };
  for (const row of rows) {
    if (row.kind === 'call') add(traffic.calls, `${row.deploymentUid ?? ''}/${row.generation}`, row.records);
    else add(traffic.feedback, trafficKey(row.model, row.version), row.records);
  }
  return traffic;
}

/** Adds up the records of several files. */
export function sumTraffic(parts: readonly Traffic[]): Traffic {
  const sum: Traffic = { calls: new Map(), feedback: new Map() };
  for (const { calls, feedback } of parts) {
    for (const [name, count] of calls) add(sum.calls, name, count);
    for (const [name, count] of feedback) add(sum.feedback, name, count);
  }
  return sum;
}

const add = (counts: Map<string, number>, name: string, count: number): void =>
  void counts.set(name, (counts.get(name) ?? 0) + count);
