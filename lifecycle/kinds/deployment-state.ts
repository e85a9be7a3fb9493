/** States of a deployment (management API, 3.6). */
export const DEPLOYMENT_STATES = ['Processing', 'Ready', 'Failed', 'Deleting'] as const;
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];
