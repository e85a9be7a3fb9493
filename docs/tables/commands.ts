import { PassThrough, Readable } from 'node:stream';
import type { Argument, Command, Option } from 'commander';
import { EXIT_CODES } from '../../cli/exit-codes.js';
import { KIND_WORDS } from '../../cli/kinds.js';
import { createProgram } from '../../cli/program.js';
import { createTerminal } from '../../cli/terminal.js';
import { code, markdownTable } from './markdown.js';

/** Commands that commander hides or adds itself. */
const LEFT_OUT = ['help', '__complete'];

/** Every command with its arguments and options, in the groups of `slipway --help`. */
export function commandsText(): string {
  const program = createIdleProgram();
  const commands = program.commands.filter((command) => !LEFT_OUT.includes(command.name()));
  const groups = [...new Set(commands.map((command) => command.helpGroup()))];
  const texts = groups.flatMap((group) => [
    `### ${group.replace(/:$/, '')}`,
    ...commands.filter((command) => command.helpGroup() === group).flatMap((command) => describe(command, 'slipway')),
  ]);
  return [...texts, '### Every command', parametersTable(program.options, [])].join('\n\n');
}

export const kindsTable = (): string =>
  markdownTable(
    ['kind', 'word', 'plural', 'also'],
    KIND_WORDS.map(({ kind, word, plural, short }) => [kind, code(word), code(plural), short.map(code).join(', ')]),
  );

export const exitCodesTable = (): string =>
  markdownTable(
    ['code', 'means'],
    EXIT_CODES.map(({ code: exitCode, means }) => [String(exitCode), means]),
  );

/** The program that the command line runs, without anything to write to. */
function createIdleProgram(): Command {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = {};
  return createProgram({
    terminal: createTerminal({ stdout, stderr, env }),
    env,
    stdin: Readable.from([]) as NodeJS.ReadStream,
    fetch,
    now: Date.now,
    pause: () => Promise.resolve(),
    patienceMs: 0,
    signal: new AbortController().signal,
    version: '',
  });
}

function describe(command: Command, parent: string): string[] {
  const path = `${parent} ${command.name()}`;
  const own = command.commands.filter((child) => !LEFT_OUT.includes(child.name()));
  if (own.length > 0) return own.flatMap((child) => describe(child, path));
  const { options, registeredArguments } = command;
  const table = options.length + registeredArguments.length > 0 ? [parametersTable(options, registeredArguments)] : [];
  const usage = options.length > 0 ? command.usage() : command.usage().replace(/^\[options\] ?/, '');
  return [`**${code(`${path} ${usage}`.trim())}**: ${command.description()}`, ...table];
}

function parametersTable(options: readonly Option[], args: readonly Argument[]): string {
  const rows = [
    ...args.map((argument) => [code(argument.name()), argument.description || 'see the kinds above']),
    ...options.map((option) => [code(option.flags), meaningOf(option)]),
  ];
  return markdownTable(['option', 'meaning'], rows);
}

function meaningOf({ description, argChoices, defaultValue }: Option): string {
  const choices = description === '' && argChoices !== undefined ? `one of ${argChoices.map(code).join(', ')}` : '';
  return `${description}${choices}${defaultText(defaultValue)}`;
}

/** Objects are defaults that a parser of the option made: its description names their text. */
const defaultText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? ` (default ${code(value)})` : '';
