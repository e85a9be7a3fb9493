import { Option, type Command } from 'commander';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { CliContext } from '../context.js';
import { rankOf } from '../kinds.js';
import type { ManifestDocument } from './document.js';
import { readSources } from './files.js';

export interface ManifestOptions {
  filename: string[];
  recursive?: boolean;
}

/** `-f` and `-R`, for commands that read manifests. */
export const withManifests = (command: Command, { mandatory = true } = {}): Command =>
  command
    .addOption(
      new Option(
        '-f, --filename <path...>',
        'manifest, folder of manifests, or - for standard input',
      ).makeOptionMandatory(mandatory),
    )
    .option('-R, --recursive', 'read folders with their sub-folders');

/**
 * Every document, in the order of dependency and, within a kind, of their files.
 * @throws validation_failed with all that is wrong, so that nothing is sent of a manifest that cannot be whole
 */
export async function readManifests(
  { terminal, stdin }: CliContext,
  options: ManifestOptions,
): Promise<ManifestDocument[]> {
  const { filename: paths, recursive = false } = options;
  // Half of the program, which commands without manifests do not load.
  const [{ checkDocuments }, { parseSource }] = await Promise.all([import('./check.js'), import('./parse.js')]);
  const parsed = (await readSources({ paths, recursive, stdin })).map(parseSource);
  const { documents, problems, warnings } = checkDocuments(parsed.flatMap((each) => each.documents));
  for (const warning of warnings) terminal.note(`warning: ${warning}`);
  refuse([...parsed.flatMap((each) => each.problems), ...problems]);
  if (documents.length === 0) throw new SlipwayError('validation_failed', `${paths.join(', ')}: no document found`);
  return documents.sort((one, other) => rankOf(one.kind) - rankOf(other.kind));
}

/** @throws validation_failed when there is a problem */
export function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  throw new SlipwayError(
    'validation_failed',
    `${count} in the manifests, nothing was sent:\n  ${problems.join('\n  ')}`,
  );
}
