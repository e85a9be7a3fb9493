/**
 * Which images a deployment runs: `signed` those of this installation, whose statement of origin is valid; `warn` any,
 * with a warning in its status for the others; `any` any, unchecked.
 */
export const IMAGE_POLICIES = ['signed', 'warn', 'any'] as const;
export type ImagePolicy = (typeof IMAGE_POLICIES)[number];

/** The policy of a deployment. Where the installation asks for signed images, no deployment asks for less. */
export const policyOf = (own: ImagePolicy | undefined, installation: ImagePolicy): ImagePolicy =>
  installation === 'signed' ? 'signed' : (own ?? installation);
