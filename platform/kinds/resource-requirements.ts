import { z } from 'zod';
import { object, optionalCastText } from './lenient.js';

const Amounts = object({ cpu: optionalCastText(), memory: optionalCastText(), gpu: optionalCastText() });

/** Limits and requests as quantities (`250m`, `1.5`, `2Gi`), stored as sent. */
export const ResourceRequirements = z.object({ limits: Amounts, requests: Amounts });
export type ResourceRequirements = z.infer<typeof ResourceRequirements>;

/** Request and limit per kind when a spec names no resources at all; never applied to parts (guide serving, section 10). */
// prettier-ignore
export const DEFAULT_RESOURCES = {
  training:   { requests: { cpu: '250m', memory: '512Mi' }, limits: { cpu: '2', memory: '2Gi' } },
  packaging:  { requests: { cpu: '1',    memory: '1Gi'   }, limits: { cpu: '2', memory: '2Gi' } },
  batch:      { requests: { cpu: '250m', memory: '512Mi' }, limits: { cpu: '2', memory: '2Gi' } },
  deployment: { requests: { cpu: '125m', memory: '256Mi' }, limits: { cpu: '1', memory: '1Gi' } },
} as const satisfies Record<string, ResourceRequirements>;
