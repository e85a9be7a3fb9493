import { Argument, Command } from 'commander';
import type { Slipway } from '../../client/index.js';
import { withOwnSignal } from '../../platform/kinds/own-signal.js';
import type { CliContext } from '../context.js';
import { deliveryName } from '../delivery/name.js';
import { readDeliveries } from '../delivery/pages.js';
import { connect } from '../login/session.js';
import { complete, type Listed, type ListIds } from './candidates.js';
import { completionScript, SHELLS, type Shell } from './scripts.js';

/** `slipway completion`: the script that makes a shell complete command lines. */
export function completionCommand({ terminal }: CliContext): Command {
  return new Command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell) => terminal.out(completionScript(shell)));
}

const EXAMPLES = `
Examples:
  source <(slipway completion bash)                                 for this shell; or put it in ~/.bashrc
  slipway completion zsh > "\${fpath[1]}/_slipway"
  slipway completion fish > ~/.config/fish/completions/slipway.fish`;

/** Prints one candidate per line, with its description after a tab; the shell script calls it. */
export function candidatesCommand(context: CliContext): Command {
  return new Command('__complete')
    .argument('[words...]')
    .action(async (words: string[], _options: object, command: Command) => {
      const program = command.parent;
      if (program === null) return;
      const found = await withOwnSignal({ parent: context.signal, limitMs: context.patienceMs }, async (signal) => {
        const listIds: ListIds = async (listed) => {
          try {
            return await idsOf(await connect(context, command), listed, signal);
          } catch {
            // Nothing to say: not logged in, no server, too slow.
            return [];
          }
        };
        return complete(program, words, listIds);
      });
      if (found === 'files') return context.terminal.out(':files');
      const lines = found.map(({ word, about }) => (about === undefined ? word : `${word}\t${about}`));
      if (lines.length > 0) context.terminal.out(lines.join('\n'));
    });
}

/** Failed deliveries that one page of candidates shows. */
const MOST_DELIVERIES = 100;

async function idsOf(slipway: Slipway, listed: Listed, signal: AbortSignal): Promise<string[]> {
  if (listed !== 'FailedDelivery') return (await slipway.reader(listed).list({}, { signal })).map(({ id }) => id);
  const { deliveries } = await readDeliveries(slipway, { state: 'failed', limit: MOST_DELIVERIES, signal });
  return deliveries.map(deliveryName);
}
