/** Where the replicas of a deployment may connect to: nowhere, or to public addresses. */
export const EGRESS = ['none', 'internet'] as const;
export type Egress = (typeof EGRESS)[number];
