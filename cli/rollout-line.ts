import type { Entity } from '../client/index.js';

/** The rollout of a deployment in one line. */
export function rolloutIn({ rollout }: Entity<'ModelDeployment'>['status']): string {
  if (rollout === undefined) return 'no rollout';
  const { state, step, steps, weight, message } = rollout;
  const place = state === 'baking' || state === 'paused' ? `, step ${step} of ${steps}` : '';
  return `${state}${place}, ${weight} % to the candidate${message === undefined ? '' : `: ${message}`}`;
}
