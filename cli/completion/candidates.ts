import type { Argument, Command, Option } from 'commander';
import type { Kind } from '../../client/index.js';
import { LINEAGE_KINDS } from '../../lifecycle/kinds/lineage.js';
import { findKind, KIND_WORDS } from '../kinds.js';

/** A word that may stand at the cursor, and what it means. */
export interface Candidate {
  word: string;
  about?: string;
}
/** Candidates, or the shell's own completion of files. */
export type Completion = Candidate[] | 'files';
/** A kind, or something else with ids. */
export type Listed = Kind | 'FailedDelivery';
/** Ids of a kind, as far as they are to be had. */
export type ListIds = (listed: Listed) => Promise<string[]>;

const FORMATS = ['table', 'wide', 'name', 'json', 'yaml', 'jsonpath='];

/** Arguments that name an entity of one kind. */
const KIND_OF_ARGUMENT: Readonly<Record<string, Listed>> = {
  deployment: 'ModelDeployment',
  pipeline: 'ModelPipeline',
  run: 'PipelineRun',
  subscription: 'Subscription',
  dataset: 'Dataset',
  delivery: 'FailedDelivery',
  deliveries: 'FailedDelivery',
};
const KIND_OF_OPTION: Readonly<Record<string, Listed>> = {
  subscription: 'Subscription',
  fromTraining: 'ModelTraining',
  fromPackaging: 'ModelPackaging',
};
const KIND_OF_COMMAND: Readonly<Record<string, Kind>> = {
  train: 'ModelTraining',
  pack: 'ModelPackaging',
  deploy: 'ModelDeployment',
};

/** Candidates for the last argument, which may be incomplete. */
export async function complete(program: Command, words: readonly string[], listIds: ListIds): Promise<Completion> {
  const current = words.at(-1) ?? '';
  const { command, given, pending } = walk(program, words.slice(0, -1));
  if (pending !== undefined) return ofOption(pending, listIds);
  if (current.startsWith('-')) return optionsOf(command, program);
  if (command.commands.length > 0) return subcommandsOf(command);
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[given.length] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? [] : ofArgument({ command, argument, given, current, listIds });
}

interface Walked {
  command: Command;
  /** Arguments of the command so far. */
  given: string[];
  /** An option whose value comes next. */
  pending: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Walked {
  let command = program;
  let given: string[] = [];
  let pending: Option | undefined;
  for (const word of words) {
    const child = given.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith('-'))
      pending = word.includes('=') ? undefined : valued(findOption(word, command, program));
    else if (child === undefined) given.push(word);
    else [command, given] = [child, []];
  }
  return { command, given, pending };
}

const findOption = (word: string, command: Command, program: Command): Option | undefined =>
  [...command.options, ...program.options].find(({ long, short }) => long === word || short === word);

const valued = (option: Option | undefined): Option | undefined =>
  option?.required || option?.optional ? option : undefined;

async function ofOption(option: Option, listIds: ListIds): Promise<Completion> {
  const name = option.attributeName();
  const kind = KIND_OF_OPTION[name];
  if (kind !== undefined) return toCandidates(await listIds(kind));
  if (name === 'filename' || name === 'config') return 'files';
  if (option.argChoices !== undefined) return toCandidates(option.argChoices);
  return name === 'output' ? toCandidates(FORMATS) : [];
}

const optionsOf = (command: Command, program: Command): Candidate[] =>
  [...new Set([...command.options, ...program.options])]
    .filter((option) => !option.hidden)
    .map((option) => ({ word: option.long ?? option.short ?? '', about: option.description }));

const subcommandsOf = (command: Command): Candidate[] =>
  command.commands
    .filter((child) => !child.name().startsWith('__'))
    .map((child) => ({ word: child.name(), about: child.description() }));

interface AtArgument {
  command: Command;
  argument: Argument;
  given: readonly string[];
  current: string;
  listIds: ListIds;
}

async function ofArgument({ command, argument, given, current, listIds }: AtArgument): Promise<Completion> {
  if (argument.name() === 'file') return 'files';
  const ofOneKind = KIND_OF_ARGUMENT[argument.name()] ?? KIND_OF_COMMAND[command.name()];
  if (ofOneKind !== undefined) return toCandidates(await listIds(ofOneKind));
  if (argument.argChoices !== undefined) return toCandidates(argument.argChoices);
  const [first = current] = given;
  // Either a kind and then its ids, or pairs all along.
  const [word = ''] = (first.includes('/') ? current : first).split('/');
  // Lineage also takes ids that belong to no resource and cannot be listed.
  const hasThings = command.name() === 'lineage';
  if (given.length === 0 && !current.includes('/'))
    return hasThings ? toCandidates(LINEAGE_KINDS) : KIND_WORDS.map((row) => ({ word: row.word, about: row.plural }));
  const kind = kindOf(word);
  if (kind === undefined)
    return hasThings ? [] : KIND_WORDS.map((row) => ({ word: `${row.word}/`, about: row.plural }));
  const ids = await listIds(kind);
  return toCandidates(first.includes('/') ? ids.map((id) => `${word}/${id}`) : ids);
}

const toCandidates = (words: readonly string[]): Candidate[] => words.map((word) => ({ word }));

function kindOf(word: string): Kind | undefined {
  try {
    return findKind(word);
  } catch {
    return undefined;
  }
}
