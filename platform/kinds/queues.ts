/** Task queues by load profile (guide temporal, section 5). */
// prettier-ignore
export const QUEUES = {
  control:      { workflows: true,  maxConcurrentActivities: 100 }, // lifecycles; short activities
  waiting:      { workflows: false, maxConcurrentActivities: 500 }, // heartbeat loops on containers: a waiting activity holds a slot
  supervision:  { workflows: false, maxConcurrentActivities: 2_500 }, // one for each of 1,000 deployments, two during its update: of another kind, they would keep starts and updates from their slots
  packaging:    { workflows: false, maxConcurrentActivities: 2 },   // CPU and disk work
  notification: { workflows: true,  maxConcurrentActivities: 1_000 }, // receivers may hang: a drain that waits for them holds a slot
} as const satisfies Record<string, { workflows: boolean; maxConcurrentActivities: number }>;
export type Queue = keyof typeof QUEUES;
