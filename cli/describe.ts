import { Command } from 'commander';
import type { Entity } from '../client/index.js';
import type { CliContext } from './context.js';
import { factsOf } from './describe/facts.js';
import { findRelated } from './describe/related.js';
import { nameOf, parseTarget } from './kinds.js';
import { connect } from './login/session.js';
import { colored } from './output/state-color.js';
import { toTable } from './output/table.js';
import { clock, duration } from './output/time.js';

/** `slipway describe`: one entity for a person: what it is, how it went and when, what it came from and what came of it. */
export function describeCommand(context: CliContext): Command {
  return new Command('describe')
    .description('show one with its times, reasons and relatives')
    .argument('<kind>', 'kind, or <kind>/<id>')
    .argument('[id]')
    .addHelpText('after', '\nExamples:\n  slipway describe training wine\n  slipway describe deployment/wine')
    .action(async (kind: string, id: string | undefined, _options: object, command: Command) => {
      const { terminal, now, signal } = context;
      const target = parseTarget(id === undefined ? [kind] : [kind, id]);
      const slipway = await connect(context, command);
      const entity = await slipway.reader(target.kind).get(target.id, { signal });
      const related = await findRelated(slipway, entity, signal);
      const facts = factsOf(entity, now()).map(([name, value]) => [
        `  ${name}`,
        name === 'state' ? colored(terminal.paint, value) : value,
      ]);
      const sections = [
        [terminal.paint('bold', nameOf(entity)), toTable(facts)],
        section('States', transitionsOf(entity)),
        ...related.map(({ title, rows }) =>
          section(
            title,
            rows.map(([name, state, ...more]) => [name, colored(terminal.paint, state), ...more]),
          ),
        ),
        section('Last lines of the log', tailOf(entity)),
      ];
      terminal.out(
        sections
          .filter((lines) => lines.length > 0)
          .map((lines) => lines.join('\n'))
          .join('\n\n'),
      );
    });
}

const section = (title: string, rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0 ? [] : [`${title}:`, toTable(rows.map(([first = '', ...rest]) => [`  ${first}`, ...rest]))];

/** When it came into each state, and for how long it stayed there. */
function transitionsOf({ status }: Entity): string[][] {
  if (!('transitions' in status)) return [];
  const { transitions } = status;
  return transitions.map(({ state, at }, index) => {
    const next = transitions[index + 1];
    return [clock(at), state, next === undefined ? '' : `for ${duration(Date.parse(next.at) - Date.parse(at))}`];
  });
}

const tailOf = ({ status }: Entity): string[][] =>
  'logTail' in status && status.logTail !== undefined
    ? status.logTail
        .trimEnd()
        .split('\n')
        .map((line) => [line])
    : [];
