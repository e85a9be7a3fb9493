import type { z } from 'zod';
import type { RunRef } from '../../platform/kinds/ids.js';
import { choice, integer, list, object, optionalFlag } from '../../platform/kinds/lenient.js';

/** The end of a step in which the candidate got too few calls to be judged. */
const ON_NO_TRAFFIC = ['promote', 'hold', 'abort'] as const;

/** How a new revision takes over from the one that serves. */
export const RolloutSpec = object({
  /** In order: percent of the calls that the candidate gets, and seconds for which that is watched. */
  steps: list(object({ weight: integer(0), seconds: integer(60) })),
  onNoTraffic: choice(ON_NO_TRAFFIC, 'promote'),
  /** Whether the candidate may have other input columns than the revision that serves; absent: no. */
  allowSchemaChange: optionalFlag(),
});
export type RolloutSpec = z.infer<typeof RolloutSpec>;

export const ROLLOUT_STATES = ['baking', 'paused', 'promoted', 'rolledBack'] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];

/** The rollout of the current generation. */
export interface RolloutStatus {
  state: RolloutState;
  /** From 1. */
  step: number;
  steps: number;
  /** Percent of the calls that the candidate gets. */
  weight: number;
  /** Generation of the revision that served before. */
  stable: number;
  /** The last decision, and its reason with the numbers. */
  message?: string;
  /** Calls that the candidate answered, and those of them that failed; known when it gets no more. */
  requests?: number;
  failed?: number;
}

export const ROLLOUT_ACTIONS = ['pause', 'resume', 'promote', 'abort'] as const;
export type RolloutAction = (typeof ROLLOUT_ACTIONS)[number];

/** A person's request for the rollout of one generation. */
export interface RolloutRequest {
  generation: number;
  by: string;
}

/** Steers rollouts that go on. */
export interface Rollouts {
  /** @throws not_waiting when none goes on; unavailable */
  request(action: RolloutAction, ref: RunRef, by: string): Promise<void>;
}
