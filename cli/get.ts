import { Command, Option } from 'commander';
import type { Entity, Filters, Kind, Slipway } from '../client/index.js';
import { SlipwayError } from '../platform/kinds/errors.js';
import type { CliContext } from './context.js';
import { findKind, pluralOf } from './kinds.js';
import { connect } from './login/session.js';
import { readManifests, withManifests, type ManifestOptions } from './manifest/manifests.js';
import { outputOption, type Format } from './output/format.js';
import { show } from './output/show.js';
import { watch } from './watch.js';

interface GetOptions extends Partial<ManifestOptions> {
  output: Format;
  state?: string[];
  filter?: string[];
  watch?: boolean;
}

/** `slipway get`: entities as a table, or as data. */
export function getCommand(context: CliContext): Command {
  const command = new Command('get')
    .description('list or show resources')
    .argument('[kind]', 'kind, such as trainings; or <kind>/<id>')
    .argument('[ids...]', 'ids of the resources')
    .addOption(outputOption())
    .option('--state <state...>', 'only in one of these states')
    .option('--filter <name=value...>', 'filter of the kind, such as model_name=wine')
    .addOption(new Option('-w, --watch', 'go on and show every change').conflicts(['filter', 'filename']))
    .addHelpText('after', EXAMPLES);
  return withManifests(command, { mandatory: false }).action(
    async (kindWord: string | undefined, ids: string[], options: GetOptions, self: Command) => {
      if (options.filename !== undefined) return getDescribed(context, kindWord, options, self);
      const [word = '', pairId] = (kindWord ?? '').split('/');
      const kind = findKind(word);
      const wanted = pairId === undefined ? ids : [pairId, ...ids];
      const slipway = await connect(context, self);
      if (options.watch)
        return watch(context, { slipway, kind, ids: wanted, format: options.output, states: options.state });
      const entities = await read(slipway, { kind, ids: wanted, filters: filtersOf(options), signal: context.signal });
      const isList = wanted.length !== 1;
      await show(context.terminal, { kind, entities, format: options.output, isList, now: context.now() });
      if (entities.length === 0)
        context.terminal.note(`there are no ${pluralOf(kind)}${hasFilters(options) ? ' that match' : ''}`);
    },
  );
}

/** Reads the resources that manifests describe from the server: data as one list, tables by kind. */
async function getDescribed(
  context: CliContext,
  kindWord: string | undefined,
  options: GetOptions,
  command: Command,
): Promise<void> {
  if (kindWord !== undefined || hasFilters(options))
    throw new SlipwayError('validation_failed', 'both resources and manifests given: use names or -f');
  const { filename = [], recursive = false, output: format } = options;
  const documents = await readManifests(context, { filename, recursive });
  const slipway = await connect(context, command);
  const entities: Entity[] = [];
  for (const { kind, id } of documents) {
    entities.push(...(await read(slipway, { kind, ids: [id], filters: {}, signal: context.signal })));
  }
  const { terminal, now } = context;
  const [first] = entities;
  if (format.form === 'data' && first !== undefined)
    return await show(terminal, { kind: first.kind, entities, format, isList: true, now: now() });
  for (const [at, kind] of [...new Set(entities.map((entity) => entity.kind))].entries()) {
    if (at > 0) terminal.out('');
    const ofKind = entities.filter((entity) => entity.kind === kind);
    await show(terminal, { kind, entities: ofKind, format, isList: true, now: now() });
  }
}

const EXAMPLES = `
Examples:
  slipway get trainings                            a table
  slipway get trainings --state running --watch    and every change of it
  slipway get deployment wine -o yaml              ready for "slipway apply"
  slipway get -f manifests -R                      how what they describe is now
  slipway get training wine -o jsonpath='$.status.artifactName'`;

interface Wanted {
  kind: Kind;
  ids: readonly string[];
  filters: Filters;
  signal: AbortSignal;
}

async function read(slipway: Slipway, { kind, ids, filters, signal }: Wanted): Promise<Entity[]> {
  const entities = slipway.reader(kind);
  if (ids.length === 0) return entities.list(filters, { signal });
  const found = [];
  for (const id of ids) found.push(await entities.get(id, { signal }));
  return found;
}

/** @throws validation_failed */
function filtersOf({ state, filter = [] }: GetOptions): Filters {
  const filters: Record<string, string[]> = state === undefined ? {} : { state };
  for (const pair of filter) {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new SlipwayError('validation_failed', `"${pair}" is invalid: use name=value`);
    filters[name] = [...(filters[name] ?? []), value];
  }
  return filters;
}

const hasFilters = ({ state, filter }: GetOptions): boolean => state !== undefined || filter !== undefined;
