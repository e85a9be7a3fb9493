import { mergePatch } from '../../reference/rows/merge-patch.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import {
  streamOfWatch,
  type Watch,
  WATCH_LIMITS,
  type WatchSpec,
  type WatchStatus,
} from '../../notifications/kinds/watch.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import type { WatchState, WatchStates } from '../../notifications/stores/watch-states.js';
import { readJson } from '../http/exact-json.js';
import { drawId, insertOnce } from '../http/idempotent-creation.js';
import { newResourceFields } from './new-resource.js';
import { requireTag } from '../http/etag.js';
import { invalid, readQuery, toCount } from '../http/parameters.js';
import { observesDataset, observesEvents } from '../../notifications/watches/observer.js';
import type { ReferenceContext, ReferenceStep } from '../reference/state.js';
import { mayReadStream, requireStream } from './stream-scopes.js';
import { acceptWatch, requireRoom } from './watch-checks.js';
import { explainEvents, type WatchedEvents } from './watch-event-explanation.js';
import { explainEntity } from './watch-explanation.js';
import { explainSet } from './watch-set-explanation.js';
import { readGaps, type WatchGapsOptions } from './watch-gaps.js';

export interface WatchRoutesOptions {
  datasets: Datasets;
  watches: ResourceStore<Watch>;
  states: WatchStates;
  gapEvents: WatchGapsOptions;
  wasEmitted: (key: string) => Promise<boolean>;
  /** Events of the platform. */
  events: WatchedEvents;
  reservedIds: ReservedIds;
  /** Starts the evaluator. Never fails: the workers poll for watches as well. */
  start: () => Promise<void>;
  now?: () => Date;
}

const LIMIT_BYTES = 64 * 1_024;

/** `/v2/watches`: expected changes whose absence emits an event. */
export function createWatchRoutes(options: WatchRoutesOptions) {
  const {
    datasets,
    watches,
    states,
    gapEvents,
    wasEmitted,
    events,
    reservedIds,
    start,
    now = () => new Date(),
  } = options;

  /** Loads a watch; the client needs the scopes of its stream. */
  async function load({ params, state }: ReferenceContext): Promise<Watch> {
    const watch = await watches.get(params.id ?? '');
    if (watch === undefined || watch.status.state === 'removed') throw unknown();
    requireStream(state.client, streamOfWatch(watch.spec));
    return watch;
  }

  const all = async (): Promise<Watch[]> => (await watches.list()).filter(({ status }) => status.state !== 'removed');

  async function send(ctx: ReferenceContext, watch: Watch): Promise<void> {
    ctx.set('ETag', watchTag(watch));
    ctx.body = toWatch(watch, await states.get(watch.id));
  }

  /** Applies a change unless the watch changed since the caller read it (`If-Match`). */
  async function change(ctx: ReferenceContext, to: (current: Watch) => Watch): Promise<Watch> {
    readQuery(ctx, []);
    const { id } = await load(ctx);
    const changed = await watches.update(id, (current) => {
      if (current.status.state === 'removed') throw unknown();
      requireTag(ctx, watchTag(current), 'watch');
      return noted(to(current), current, { at: now().toISOString(), actor: ctx.state.client.actor });
    });
    await start();
    return changed;
  }

  const create: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { given, digest } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const accepted = acceptWatch(given, ctx.state.client, { datasets });
    const { id, isRepeat } = await drawId(ctx, { reservedIds, prefix: 'wat', digest });
    const watch = await insertOnce(isRepeat, {
      find: () => watches.get(id),
      async insert() {
        await requireRoom(accepted, { others: await all(), states, events });
        return watches.insert({
          kind: 'Watch',
          ...{ id, spec: accepted.spec },
          status: { state: 'active', history: [] },
          ...newResourceFields({ at: now().toISOString(), actor: ctx.state.client.actor }),
        });
      },
    });
    if (watch.status.state === 'removed') throw unknown();
    await start();
    ctx.status = 201;
    ctx.set('Location', `/v2/watches/${watch.id}`);
    await send(ctx, watch);
  };

  const list: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    const { client } = ctx.state;
    const seen = (await all()).filter(({ spec }) => mayReadStream(client, streamOfWatch(spec)));
    ctx.body = { items: await Promise.all(seen.map(async (watch) => toWatch(watch, await states.get(watch.id)))) };
  };

  const read: ReferenceStep = async (ctx) => {
    readQuery(ctx, []);
    await send(ctx, await load(ctx));
  };

  const patch: ReferenceStep = async (ctx) => {
    const current = await load(ctx);
    if (ctx.get('If-Match') === '') {
      const members = { etag: watchTag(current) };
      throw new SlipwayError('write.precondition_required', 'say with If-Match which version you mean', { members });
    }
    const types = ['application/json', 'application/merge-patch+json'];
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES, types });
    const accepted = acceptWatch(mergePatch(current.spec, given), ctx.state.client, { datasets });
    const others = (await all()).filter(({ id }) => id !== current.id);
    await requireRoom(accepted, { others, states, events });
    const { spec } = accepted;
    await send(ctx, await change(ctx, (each) => ({ ...each, spec, generation: each.generation + 1 })));
  };

  const remove: ReferenceStep = async (ctx) => {
    await change(ctx, (each) => ({ ...each, status: { ...each.status, state: 'removed' } }));
    ctx.status = 204;
  };

  const turn =
    (state: 'active' | 'paused'): ReferenceStep =>
    async (ctx) =>
      send(ctx, await change(ctx, (each) => ({ ...each, status: { ...each.status, state } })));

  const gaps: ReferenceStep = async (ctx) => {
    const { before, page_size: size = '20' } = readQuery(ctx, ['before', 'page_size']);
    const watch = await load(ctx);
    const { items, next } = await readGaps(gapEvents, {
      watch: watch.id,
      before: before === undefined ? undefined : toCount('before', before, { from: 1, to: Number.MAX_SAFE_INTEGER }),
      size: toCount('page_size', size, { from: 1, to: 100 }),
    });
    ctx.body = { items, ...(next !== undefined && { next: `before=${next}&page_size=${size}` }) };
  };

  const explain: ReferenceStep = async (ctx) => {
    const { entity } = readQuery(ctx, ['entity']);
    const watch = await load(ctx);
    const { spec } = watch;
    const detail = { watch, wasEmitted, now: now() };
    if (observesEvents(spec)) ctx.body = await explainEvents({ ...detail, spec, events, entity });
    else if (observesDataset(spec) && spec.each === 'set') {
      ctx.body = await explainSet({ ...detail, spec, datasets, entity, state: await states.get(watch.id) });
    } else if (observesDataset(spec)) {
      if (entity === undefined) throw invalid('entity', 'is required: whose gap is meant');
      ctx.body = await explainEntity({ ...detail, spec, datasets, entity });
    }
  };

  return { create, list, read, patch, remove, pause: turn('paused'), resume: turn('active'), gaps, explain };
}

const watchTag = ({ revision }: Watch): string => `"${revision}"`;

const unknown = () => new SlipwayError('watch.not_found', 'there is no such watch');

/** Members that differ, and the state if it does. */
function noted(after: Watch, before: Watch, by: { at: string; actor: string }): Watch {
  const names = Object.keys(after.spec) as (keyof WatchSpec)[];
  const changed: string[] = names.filter(
    (name) => JSON.stringify(after.spec[name]) !== JSON.stringify(before.spec[name]),
  );
  if (after.status.state !== before.status.state) changed.push(`state: ${after.status.state}`);
  const entry = { generation: after.generation, ...by, changed };
  const history: WatchStatus['history'] = [...before.status.history, entry].slice(-WATCH_LIMITS.history);
  return { ...after, status: { ...after.status, history }, updatedAt: by.at, updatedBy: by.actor };
}

/** A watch as clients see it: what was asked for beside what became of it. */
function toWatch({ id, spec, status, createdAt, updatedAt, createdBy }: Watch, state: WatchState | undefined) {
  const { set: _forExplain, ...evaluation } = state ?? {};
  return {
    id,
    ...spec,
    state: status.state,
    evaluation: state === undefined ? null : evaluation,
    history: status.history,
    created_at: createdAt,
    updated_at: updatedAt,
    created_by: createdBy,
  };
}
