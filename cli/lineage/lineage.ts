import { Command, InvalidArgumentError, Option } from 'commander';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { DIRECTIONS, LINEAGE_KINDS, type Direction, type LineageKind } from '../../lifecycle/kinds/lineage.js';
import type { CliContext } from '../context.js';
import { findKind, wordOf } from '../kinds.js';
import { connect } from '../login/session.js';
import { toData } from '../output/format.js';
import { toTrees } from './tree.js';

interface LineageOptions {
  direction: Direction;
  generation?: number;
  output: 'tree' | 'json' | 'yaml';
}

/** `slipway lineage`: where something came from, and what came of it. */
export function lineageCommand(context: CliContext): Command {
  return new Command('lineage')
    .description('show where something came from, and what came of it')
    .argument('<kind>', `${LINEAGE_KINDS.join(', ')}; or <kind>/<id>`)
    .argument('[id]', 'id of an entity or a request; a commit, a digest, or the name of an artifact or image')
    .addOption(new Option('--direction <direction>', 'one side only').choices(DIRECTIONS).default('both'))
    .option('--generation <number>', 'of an entity; else its newest', toGeneration)
    .addOption(new Option('-o, --output <format>').choices(['tree', 'json', 'yaml']).default('tree'))
    .addHelpText('after', EXAMPLES)
    .action(async (first: string, second: string | undefined, options: LineageOptions, command: Command) => {
      const { terminal, signal } = context;
      const { direction, generation, output } = options;
      const { kind, id } = parseThing(first, second);
      const slipway = await connect(context, command);
      const { data: graph } = await slipway.http.GET('/api/v1/lineage/{kind}/{id}', {
        params: { path: { kind, id }, query: { direction, ...(generation !== undefined && { generation }) } },
        signal,
      });
      if (graph === undefined) return; // a reply without one is an error, which is thrown
      if (output !== 'tree') return terminal.out(await toData(graph, output));
      terminal.out(toTrees(graph, direction, terminal.paint).join('\n'));
      if (graph.truncated)
        terminal.note('there is more than is shown; ask for one --direction, or from a nearer place');
    });
}

const EXAMPLES = `
Examples:
  slipway lineage request 01979c1e-6f7a-7d6e-b2b7-3c1f0f6f2c11    from an answer back to the commit
  slipway lineage deployment wine --direction upstream
  slipway lineage commit 3f9c2ab                                   what became of a commit
  slipway lineage run wine-3 -o json`;

/** Names of artifacts and images have slashes of their own: only the first one parts. @throws validation_failed */
function parseThing(first: string, second: string | undefined): { kind: LineageKind; id: string } {
  const [, word = first, id = second] = (second === undefined && /^([^/]+)\/(.+)$/s.exec(first)) || [];
  if (id === undefined) throw new SlipwayError('validation_failed', `name what you mean: "${first} <id>"`);
  return { kind: toKind(word), id };
}

/** The words of lineage, and those that the other commands take for the same. @throws validation_failed */
function toKind(word: string): LineageKind {
  const known = (name: string): LineageKind | undefined => LINEAGE_KINDS.find((kind) => kind === name);
  const kind = known(word) ?? known(entityWord(word));
  if (kind !== undefined) return kind;
  throw new SlipwayError('validation_failed', `lineage knows no "${word}", but ${LINEAGE_KINDS.join(', ')}`);
}

function entityWord(word: string): string {
  try {
    const found = wordOf(findKind(word));
    return found === 'run' ? 'pipeline-run' : found;
  } catch {
    return word;
  }
}

function toGeneration(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('it is a number from 1 on.');
  return Number(text);
}
