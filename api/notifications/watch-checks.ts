import { setImmediate as othersTurn } from 'node:timers/promises';
import { parseFilter } from '../../reference/filter/index.js';
import { leavesOf } from '../../reference/dataset/dataset-leaves.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { type Problem, toPointer } from '../../platform/kinds/problem.js';
import {
  type DatasetWatchSpec,
  type EventWatchSpec,
  type Watch,
  WATCH_LIMITS,
  WatchSpec,
} from '../../notifications/kinds/watch.js';
import type { Datasets, ReadyDataset } from '../../reference/stores/datasets.js';
import type { WatchStates } from '../../notifications/stores/watch-states.js';
import { findPasts, isPresent } from '../../notifications/watches/event-past.js';
import { createScopeObserver } from '../../notifications/watches/event-scope.js';
import { createObserver, leavesUnder, observesDataset, observesEvents } from '../../notifications/watches/observer.js';
import { requireScope } from '../reference/credentials.js';
import type { Client } from '../reference/state.js';
import { requireStream } from './stream-scopes.js';
import { filteredTypes, leavesOf as leavesOfType, typesOf } from './subscription-types.js';
import type { WatchedEvents } from './watch-event-explanation.js';

/**
 * Validates a requested watch: its form, and its filters and fields against the dataset.
 * @throws watch.invalid, auth.scope, dataset.not_found, filter.invalid
 */
export function acceptWatch(given: unknown, client: Client, { datasets }: { datasets: Datasets }) {
  const result = WatchSpec.safeParse(given);
  if (!result.success) {
    const { issues } = result.error;
    throw invalid(issues.map(({ path, message }) => ({ code: 'watch.invalid', pointer: toPointer(path), message })));
  }
  const spec = result.data;
  if (!observesDataset(spec)) return { spec: acceptEvents(spec, client) };
  const name = spec.scope.dataset;
  requireScope(client, `data:read:${name}`); // an event shows the data of a read
  const ready = datasets.get(name);
  const { declaration } = ready;
  const target = { dataset: name, leaves: leavesOf(declaration.spec) };
  for (const [parameter, text] of [
    ['scope.filter', spec.scope.filter],
    ['counts.dwell', spec.counts.dwell],
  ] as const) {
    const filter = text === null ? undefined : parseFilter(text, target, { parameter });
    if (filter?.ok === false) {
      throw new SlipwayError('filter.invalid', `${parameter} does not fit ${name}`, { problems: filter.problems });
    }
  }
  const unknown = (spec.counts.fields ?? []).flatMap((field, index): Problem[] =>
    leavesUnder([field], declaration.spec).length > 0
      ? []
      : [{ code: 'watch.invalid', pointer: `/counts/fields/${index}`, message: `${name} has no field "${field}"` }],
  );
  if (unknown.length > 0) throw invalid(unknown);
  return { spec, ready };
}

function acceptEvents(spec: WatchSpec, client: Client): WatchSpec {
  const { scope } = spec;
  if (!('stream' in scope)) return spec;
  const { stream, types, filter, by } = scope;
  requireStream(client, stream);
  const unknown = types.flatMap((name, index): Problem[] => {
    const isKnown = name.startsWith(`${stream}.`) && typesOf({ types: [name] }, {}).length > 0;
    const message = `there is no event type "${name}" of ${stream}`;
    return isKnown ? [] : [{ code: 'watch.invalid', pointer: `/scope/types/${index}`, message }];
  });
  if (unknown.length > 0) throw invalid(unknown);
  filteredTypes({ types, filter }, {});
  const without = by === null ? undefined : typesOf({ types }, {}).find((type) => !hasText(type, by));
  if (without !== undefined) {
    throw invalid([{ code: 'watch.invalid', pointer: '/scope/by', message: `${without} has no text field "${by}"` }]);
  }
  return spec;
}

const hasText = (type: string, field: string): boolean =>
  ['text', 'enum'].includes(leavesOfType(type, {})?.get(field)?.type ?? '');

const invalid = (problems: readonly Problem[]): SlipwayError =>
  new SlipwayError('watch.invalid', 'the watch cannot be used', { problems });

const ROWS_AT_ONCE = 5_000;

interface Others {
  others: readonly Watch[];
  states: WatchStates;
  events: WatchedEvents;
}

/** @throws watch.too_many */
export async function requireRoom(
  { spec, ready }: { spec: WatchSpec; ready?: ReadyDataset },
  { others, states, events }: Others,
): Promise<void> {
  if (others.length >= WATCH_LIMITS.watches) {
    throw new SlipwayError('watch.too_many', `limit of ${WATCH_LIMITS.watches} watches reached: remove one first`);
  }
  if (spec.each === 'set') return;
  const known = await Promise.all(others.map(({ id }) => states.get(id)));
  const taken = known.reduce((sum, state) => sum + (state?.armed ?? 0), 0);
  const room = WATCH_LIMITS.armed - taken;
  const members = observesEvents(spec)
    ? await countThings(spec, events, room)
    : observesDataset(spec) && ready !== undefined
      ? await countRows(spec, ready, room)
      : 0;
  if (members > room) {
    throw new SlipwayError(
      'watch.too_many',
      `limit of ${WATCH_LIMITS.armed} watched entities reached: ${taken} are watched and this scope has ${members}`,
    );
  }
}

/** @returns less than there may be where all of them have room anyhow */
async function countRows(
  spec: DatasetWatchSpec,
  { dataset, declaration }: ReadyDataset,
  room: number,
): Promise<number> {
  const { rows, position } = dataset.replica;
  if (rows.live() <= room) return 0;
  const observer = createObserver(spec, declaration.spec);
  let members = 0;
  for (let row = 0, end = rows.end(); row < end; row += 1) {
    if (rows.isAt(row, position) && observer.membershipOf(rows.bytes(row).toString()).member) members += 1;
    if (row % ROWS_AT_ONCE === 0) await othersTurn();
  }
  return members;
}

/** Each event is about one thing at most. @returns less than there may be where all of them have room anyhow */
async function countThings(spec: EventWatchSpec, { end, read }: WatchedEvents, room: number): Promise<number> {
  const position = await end();
  if (position <= room) return 0;
  const pasts = await findPasts({ observer: createScopeObserver(spec), read, position });
  return [...pasts.values()].filter(isPresent).length;
}
