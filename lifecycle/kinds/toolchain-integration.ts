import type { z } from 'zod';
import type { Resource } from '../../platform/kinds/resource.js';
import { object, text, textMap } from '../../platform/kinds/lenient.js';

/** A program that trains projects of one form, and the image it runs in. */
export const ToolchainIntegrationSpec = object({
  entrypoint: text(),
  defaultImage: text(),
  /** Environment of every job of this toolchain; a training's own `envs` come after it. */
  additionalEnvironments: textMap(),
});
export type ToolchainIntegrationSpec = z.infer<typeof ToolchainIntegrationSpec>;
export type ToolchainIntegration = Resource<ToolchainIntegrationSpec, Record<string, never>>;
