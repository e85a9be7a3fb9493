import { streamOfWatch, type Watch } from '../../notifications/kinds/watch.js';
import type { WatchStates } from '../../notifications/stores/watch-states.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { requireTag } from '../http/etag.js';
import { readQuery } from '../http/parameters.js';
import type { ReferenceContext } from '../reference/state.js';
import { mayReadStream, unreadable } from './stream-scopes.js';
import { toWatch, watchTag, withHistory } from './watch-resource.js';

export interface WatchAccessDeps {
  watches: ResourceStore<Watch>;
  states: WatchStates;
  start: () => Promise<void>;
  now: () => Date;
}

/** Reads, changes and sends the watch that a request names. */
export function createWatchAccess({ watches, states, start, now }: WatchAccessDeps) {
  /** Loads a watch. To a client that may not read its stream it does not exist. */
  async function load({ params, state }: ReferenceContext): Promise<Watch> {
    const watch = await watches.get(params.id ?? '');
    if (watch === undefined) throw unknownWatch();
    if (!mayReadStream(state.client, streamOfWatch(watch.spec))) throw unknownWatch(unreadable());
    return requireWatch(watch);
  }

  /** All that are not removed. */
  const existing = async (): Promise<Watch[]> =>
    (await watches.list()).filter(({ status }) => status.state !== 'removed');

  async function send(ctx: ReferenceContext, watch: Watch): Promise<void> {
    ctx.set('ETag', watchTag(watch));
    ctx.body = toWatch(watch, await states.get(watch.id));
  }

  /** Applies a change unless the watch changed since the caller read it (`If-Match`). */
  async function change(ctx: ReferenceContext, to: (current: Watch) => Watch): Promise<Watch> {
    readQuery(ctx, []);
    const { id } = await load(ctx);
    const changed = await watches.update(id, (current) => {
      requireTag(ctx, watchTag(requireWatch(current)), 'watch');
      return withHistory(to(current), current, { at: now().toISOString(), actor: ctx.state.client.actor });
    });
    await start();
    return changed;
  }

  return { load, existing, send, change };
}

/** @throws watch.not_found for one that is removed */
export function requireWatch(watch: Watch): Watch {
  if (watch.status.state === 'removed') throw unknownWatch();
  return watch;
}

const unknownWatch = (cause?: SlipwayError) => new SlipwayError('watch.not_found', 'there is no such watch', { cause });
