import { mergePatch } from '../../reference/rows/merge-patch.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { streamOfWatch, type Watch } from '../../notifications/kinds/watch.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import type { ReservedIds } from '../../platform/stores/reserved-ids.js';
import type { WatchStates } from '../../notifications/stores/watch-states.js';
import { readJson } from '../http/exact-json.js';
import { drawId, insertOnce } from '../http/idempotent-creation.js';
import { newResourceFields } from './new-resource.js';
import { invalid, readQuery, toCount } from '../http/parameters.js';
import { observesDataset, observesEvents } from '../../notifications/watches/observer.js';
import type { ReferenceStep } from '../reference/state.js';
import { mayReadStream } from './stream-scopes.js';
import { createWatchAccess, requireWatch } from './watch-access.js';
import { acceptWatch, requireRoom } from './watch-checks.js';
import { explainEvents, type WatchedEvents } from './watch-event-explanation.js';
import { explainEntity } from './watch-explanation.js';
import { toWatch, watchTag } from './watch-resource.js';
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

type Deps = WatchRoutesOptions & ReturnType<typeof createWatchAccess> & { now: () => Date };

/** `/v2/watches`: expected changes whose absence emits an event. */
export function createWatchRoutes(options: WatchRoutesOptions) {
  const { now = () => new Date() } = options;
  const deps: Deps = { ...options, ...createWatchAccess({ ...options, now }), now };
  return {
    create: create(deps),
    list: list(deps),
    read: read(deps),
    patch: patch(deps),
    remove: remove(deps),
    pause: turn(deps, 'paused'),
    resume: turn(deps, 'active'),
    gaps: gaps(deps),
    explain: explain(deps),
  };
}

const create =
  (deps: Deps): ReferenceStep =>
  async (ctx) => {
    const { datasets, watches, states, events, reservedIds, start, now, existing, send } = deps;
    readQuery(ctx, []);
    const { given, digest } = await readJson(ctx, { limitBytes: LIMIT_BYTES });
    const accepted = acceptWatch(given, ctx.state.client, { datasets });
    const { id, isRepeat } = await drawId(ctx, { reservedIds, prefix: 'wat', digest });
    const watch = await insertOnce(isRepeat, {
      find: () => watches.get(id),
      async insert() {
        await requireRoom(accepted, { others: await existing(), states, events });
        return watches.insert({
          kind: 'Watch',
          ...{ id, spec: accepted.spec },
          status: { state: 'active', history: [] },
          ...newResourceFields({ at: now().toISOString(), actor: ctx.state.client.actor }),
        });
      },
    });
    requireWatch(watch);
    await start();
    ctx.status = 201;
    ctx.set('Location', `/v2/watches/${watch.id}`);
    await send(ctx, watch);
  };

const list =
  ({ states, existing }: Deps): ReferenceStep =>
  async (ctx) => {
    readQuery(ctx, []);
    const { client } = ctx.state;
    const seen = (await existing()).filter(({ spec }) => mayReadStream(client, streamOfWatch(spec)));
    ctx.body = { items: await Promise.all(seen.map(async (watch) => toWatch(watch, await states.get(watch.id)))) };
  };

const read =
  ({ load, send }: Deps): ReferenceStep =>
  async (ctx) => {
    readQuery(ctx, []);
    await send(ctx, await load(ctx));
  };

const patch =
  (deps: Deps): ReferenceStep =>
  async (ctx) => {
    const { datasets, states, events, load, existing, change, send } = deps;
    const current = await load(ctx);
    if (ctx.get('If-Match') === '') {
      const members = { etag: watchTag(current) };
      throw new SlipwayError('write.precondition_required', `send If-Match with the current ETag, ${members.etag}`, {
        members,
      });
    }
    const types = ['application/json', 'application/merge-patch+json'];
    const { given } = await readJson(ctx, { limitBytes: LIMIT_BYTES, types });
    const accepted = acceptWatch(mergePatch(current.spec, given), ctx.state.client, { datasets });
    const others = (await existing()).filter(({ id }) => id !== current.id);
    await requireRoom(accepted, { others, states, events });
    const { spec } = accepted;
    await send(ctx, await change(ctx, (each) => ({ ...each, spec, generation: each.generation + 1 })));
  };

const remove =
  ({ change }: Deps): ReferenceStep =>
  async (ctx) => {
    await change(ctx, (each) => ({ ...each, status: { ...each.status, state: 'removed' } }));
    ctx.status = 204;
  };

const turn =
  ({ change, send }: Deps, state: 'active' | 'paused'): ReferenceStep =>
  async (ctx) =>
    send(ctx, await change(ctx, (each) => ({ ...each, status: { ...each.status, state } })));

const gaps =
  ({ gapEvents, load }: Deps): ReferenceStep =>
  async (ctx) => {
    const { before, page_size: size = '20' } = readQuery(ctx, ['before', 'page_size']);
    const watch = await load(ctx);
    const { items, next } = await readGaps(gapEvents, {
      watch: watch.id,
      before: before === undefined ? undefined : toCount('before', before, { from: 1, to: Number.MAX_SAFE_INTEGER }),
      size: toCount('page_size', size, { from: 1, to: 100 }),
    });
    ctx.body = { items, ...(next !== undefined && { next: `before=${next}&page_size=${size}` }) };
  };

const explain =
  (deps: Deps): ReferenceStep =>
  async (ctx) => {
    const { datasets, states, wasEmitted, events, load, now } = deps;
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
