/**
 * The cost of finding the subscriptions that an event is for, which each worker pays for each event: many subscriptions
 * with a filter on datasets in memory.
 * `npx tsx bench/notifications/matching.ts [subscriptions] [datasets] [events]`
 */
import { createEventMatcher } from '../../notifications/events/event-matcher.js';
import type { StreamEntry } from '../../notifications/kinds/stream-entry.js';
import type { LogTails } from '../../notifications/stores/log-tails.js';
import { DatasetSpec } from '../../reference/dataset/dataset.js';
import { createEventLookout } from '../../workers/compose/event-lookout.js';

const [subscriptions = 10_000, datasets = 100, events = 20_000] = process.argv.slice(2).map(Number);
/** Each worker at this pace (retention has the same). */
const EVENTS_PER_SECOND = 500;

/** One object for all, as the lookout makes of equal ones. */
const declared = DatasetSpec.parse({ fields: { title: { type: 'text' }, places: { type: 'integer' } } });
const nameOf = (n: number): string => `dataset_${n % datasets}`;

function entryAt(position: number): StreamEntry {
  const at = new Date(position).toISOString();
  const body = JSON.stringify({ id: position, title: 'a title', places: position % 100 });
  const change = { id: `${position}`, version: 1, at, body, actor: 'bench', schema: 1, commit: `${position}` };
  return { kind: 'changes', position, at, token: '', changes: [change] };
}

const ends = new Map<string, number>();
const listeners = new Set<(stream: string) => void>();
const tails: LogTails = {
  read: async (stream, position) => (position <= (ends.get(stream) ?? 0) ? entryAt(position) : undefined),
  readOn: async () => undefined,
  beginning: async () => ({ purgedTo: 0 }),
  positions: () => [],
  listen: (listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  stop: async () => {},
};
let matched = 0;
const lookout = createEventLookout({
  tails,
  onEvent: () => void (matched += 1),
  onError: (err) => {
    throw err;
  },
});
for (let n = 0; n < subscriptions; n += 1) {
  const stream = nameOf(n);
  const spec = { types: [`dataset.${stream}.*`], filter: `places == ${n % 100}`, payload: 'full' as const };
  const matcher = createEventMatcher({ id: `sub_${n}`, spec, status: { declarations: {} } });
  matcher.declared(stream, declared);
  await lookout.add(`sub_${n}`, matcher, { [stream]: { position: 0, index: 0 } });
}
const began = process.cpuUsage();
for (let n = 0; n < events; n += 1) {
  const stream = nameOf(n);
  ends.set(stream, (ends.get(stream) ?? 0) + 1);
}
for (const stream of ends.keys()) for (const listener of listeners) listener(stream);
await lookout.stop();
const { user, system } = process.cpuUsage(began);
const perEvent = (user + system) / events;
console.log(
  [
    `${subscriptions} subscriptions on ${datasets} datasets, ${events} events, ${matched} matched`,
    `${perEvent.toFixed(1)} us of processor time an event`,
    `${((perEvent * EVENTS_PER_SECOND) / 10_000).toFixed(2)} % of a core at ${EVENTS_PER_SECOND} events/s`,
  ].join('\n'),
);
