import { z } from 'zod';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import { REST_ARGUMENTS, type RestArguments, withDefaultArguments } from '../../lifecycle/kinds/packaging-arguments.js';
import { runFailed } from '../../platform/kinds/reasons.js';

type Row = (typeof REST_ARGUMENTS)[keyof typeof REST_ARGUMENTS];
type IntegerRow = Extract<Row, { type: 'integer' }>;
type TextRow = Extract<Row, { type: 'string' }>;

const integer = ({ minimum, maximum }: IntegerRow) => z.int().min(minimum).max(maximum);
const text = (row: TextRow) => ('pattern' in row ? z.string().regex(new RegExp(row.pattern)) : z.string());

/** An integration may have weaker bounds than ours, or none: the program that builds the image keeps its own. */
const RestArgumentsCheck = z.object({
  imageName: text(REST_ARGUMENTS.imageName),
  host: text(REST_ARGUMENTS.host),
  port: integer(REST_ARGUMENTS.port),
  timeout: integer(REST_ARGUMENTS.timeout),
  workers: integer(REST_ARGUMENTS.workers),
  threads: integer(REST_ARGUMENTS.threads),
  dockerfileBaseImage: text(REST_ARGUMENTS.dockerfileBaseImage).optional(),
} satisfies Record<keyof RestArguments, z.ZodType>);

/** Merged arguments; without a base image, the model decides on it. */
export type MergedArguments = Omit<RestArguments, 'dockerfileBaseImage'> & { dockerfileBaseImage?: string };

/**
 * Arguments of a packaging over the defaults of its integration's schema. The default base image of the specification is
 * too old for any model of today: only who names it gets it.
 * @throws run_failed, PackagerFailed
 */
export function mergeArguments({ spec }: Packaging, integration: PackagingIntegration | undefined): MergedArguments {
  const given = integration ? withDefaultArguments(integration.spec.schema.arguments, spec.arguments) : spec.arguments;
  const parsed = RestArgumentsCheck.safeParse(given);
  if (parsed.success) {
    const isNamed = 'dockerfileBaseImage' in spec.arguments;
    const { dockerfileBaseImage, ...rest } = parsed.data;
    if (!isNamed && dockerfileBaseImage === REST_ARGUMENTS.dockerfileBaseImage.default) return rest;
    return { ...rest, dockerfileBaseImage };
  }
  const found = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw runFailed({
    reason: 'PackagerFailed',
    message: `the arguments of "${spec.integrationName}" do not fit: ${found}`,
  });
}
