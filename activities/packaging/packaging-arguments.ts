import { z } from 'zod';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import { withDefaultArguments } from '../../lifecycle/kinds/packaging-arguments.js';
import { runFailed } from '../../platform/kinds/reasons.js';

const RestArguments = z.object({
  imageName: z.string(),
  host: z.string(),
  port: z.int().min(1_024).max(65_535),
  timeout: z.int().min(1).max(3_600),
  workers: z.int().min(1).max(64),
  threads: z.int().min(1).max(256),
  dockerfileBaseImage: z.string().min(1),
});
export type RestArguments = z.infer<typeof RestArguments>;

/** Arguments of a packaging over the defaults of its integration's schema. @throws run_failed, PackagerFailed */
export function mergeArguments({ spec }: Packaging, integration: PackagingIntegration | undefined): RestArguments {
  const given = integration ? withDefaultArguments(integration.spec.schema.arguments, spec.arguments) : spec.arguments;
  const parsed = RestArguments.safeParse(given);
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw runFailed({
    reason: 'PackagerFailed',
    message: `the arguments of "${spec.integrationName}" do not fit: ${found}`,
  });
}
