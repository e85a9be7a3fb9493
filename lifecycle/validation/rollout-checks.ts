import type { Findings } from '../../platform/kinds/findings.js';
import type { RolloutSpec } from '../kinds/rollout.js';

const MOST_STEPS = 20;
const LONGEST_SECONDS = 86_400;
const STEPS = 'spec.rollout.steps';

/** Checks how a new revision is to take over: shares grow, so that a caller is moved once. */
export function checkRollout(findings: Findings, rollout: RolloutSpec | undefined): void {
  if (rollout === undefined || findings.misfit('spec.rollout') || findings.misfit(STEPS)) return;
  const { steps } = rollout;
  const add = (message: string): void => findings.add(STEPS, 'invalid', message);
  if (steps.length === 0)
    add('rollout.steps must have a step, such as {weight: 10, seconds: 60}; or leave rollout out');
  if (steps.length > MOST_STEPS) add(`rollout.steps must have at most ${MOST_STEPS} steps`);
  for (const [at, { weight, seconds }] of steps.slice(0, MOST_STEPS).entries()) {
    if (findings.misfit(`${STEPS}.${at}.weight`) || findings.misfit(`${STEPS}.${at}.seconds`)) continue;
    const which = `step ${at + 1} of rollout.steps:`;
    if (weight < 1 || weight > 100) add(`${which} weight must be a percentage from 1 to 100, not ${weight}`);
    else if (weight <= (steps[at - 1]?.weight ?? 0)) add(`${which} weight must be more than in the step before`);
    if (seconds < 1 || seconds > LONGEST_SECONDS) {
      add(`${which} seconds must be from 1 to ${LONGEST_SECONDS}, not ${seconds}`);
    }
  }
}
