import type { TrainingDeps } from './training-deps.js';
import { createTrainingPreparation } from './training-preparation.js';
import { createTrainingProgram } from './training-program.js';
import { createTrainingResult } from './training-result.js';

export type { TrainingDeps } from './training-deps.js';
export type TrainingActivities = ReturnType<typeof createTrainingActivities>;

/** Effects of a training, each of them repeatable; the workflow decides their order. */
export function createTrainingActivities(deps: TrainingDeps) {
  return { ...createTrainingPreparation(deps), ...createTrainingProgram(deps), ...createTrainingResult(deps) };
}
