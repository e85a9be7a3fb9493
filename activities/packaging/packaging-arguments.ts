import { z } from 'zod';
import { canonical } from '../../lifecycle/kinds/aliases.js';
import type { PackagingIntegration } from '../../lifecycle/kinds/packaging-integration.js';
import type { Packaging } from '../../lifecycle/kinds/packaging.js';
import {
  type ArgumentTable,
  type ArgumentValues,
  type IntegerArgument,
  REST_ARGUMENTS,
  type TextArgument,
  withDefaultArguments,
} from '../../lifecycle/kinds/packaging-arguments.js';
import { runFailed } from '../../platform/kinds/reasons.js';

type Row = IntegerArgument | TextArgument;

const integer = ({ minimum, maximum }: IntegerArgument) => z.int().min(minimum).max(maximum);
const text = ({ pattern }: TextArgument) =>
  pattern === undefined ? z.string() : z.string().regex(new RegExp(pattern));

/** An integration may have weaker bounds than ours, or none: the program that makes the image keeps its own. */
const checkOf = (table: ArgumentTable) =>
  z.object({
    ...Object.fromEntries(
      Object.entries<Row>(table).map(([name, row]) => [name, row.type === 'integer' ? integer(row) : text(row)]),
    ),
    dockerfileBaseImage: text(REST_ARGUMENTS.dockerfileBaseImage).optional(),
  });

/** Merged arguments; without a base image, the model decides on it. */
export type MergedArguments<Table extends ArgumentTable> = Omit<ArgumentValues<Table>, 'dockerfileBaseImage'> & {
  dockerfileBaseImage?: string;
};

/**
 * Arguments of a packaging over the defaults of its integration's schema. The default base image of the specification is
 * too old for any model of today: only who names it gets it.
 * @throws run_failed, PackagerFailed
 */
export function mergeArguments<Table extends ArgumentTable>(
  table: Table,
  { spec }: Packaging,
  integration: PackagingIntegration | undefined,
): MergedArguments<Table> {
  // As the client named them, while the integration has the primary names.
  const named = Object.fromEntries(
    Object.entries(spec.arguments).map(([name, value]) => [canonical('packagerArgument', name), value]),
  );
  const given = integration ? withDefaultArguments(integration.spec.schema.arguments, named) : named;
  const parsed = checkOf(table).safeParse(given);
  if (parsed.success) {
    const isNamed = 'dockerfileBaseImage' in spec.arguments;
    const { dockerfileBaseImage: base, ...rest } = parsed.data;
    const isOld = !isNamed && base === REST_ARGUMENTS.dockerfileBaseImage.default;
    // The check is made of the very table that the type is made of.
    return { ...rest, ...(!isOld && base !== undefined && { dockerfileBaseImage: base }) } as MergedArguments<Table>;
  }
  const found = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw runFailed({
    reason: 'PackagerFailed',
    message: `the arguments of "${spec.integrationName}" do not fit: ${found}`,
  });
}
