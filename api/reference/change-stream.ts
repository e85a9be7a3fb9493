import { Readable } from 'node:stream';
import type { Change } from '../../reference/dataset/change.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { LiveDataset } from '../../reference/stores/live-dataset.js';
import { SlipwayError } from '../../platform/kinds/errors.js';
import { invalid, readQuery, toCount } from '../http/parameters.js';
import { type Identify, requireScope } from './credentials.js';
import { awaitVersion } from './freshness.js';
import { changeTestFor } from './row-rules.js';
import type { ReferenceStep } from './state.js';
import { endOf, requireKept, toItem } from './version.js';

export interface ChangeStreamOptions {
  datasets: Datasets;
  identify: Identify;
  /** Longest silence; proxies end connections on which nothing is sent for long. */
  silenceMs?: number;
  /** Streams that one client may have open in this process. */
  most?: number;
}

/** The end of what was sent: a position of the log, and the number of its changes that were sent. */
interface Cursor {
  position: number;
  sent: number;
}
const ALL = Number.MAX_SAFE_INTEGER;
const EVERY = (change: Change): Change | undefined => change;
const LAST_EVENT_ID = 'last-event-id';

/**
 * `GET /v2/datasets/{name}/events`: the changes after a position, as server-sent events while they happen. A client
 * that connects again with `Last-Event-ID` misses none and gets none twice.
 */
export function createChangeStream(options: ChangeStreamOptions): ReferenceStep {
  const { datasets, identify, silenceMs = 15_000, most = 20 } = options;
  const open = new Map<string, number>();

  /**
   * Checks the caller again: a key may be revoked, a token may expire, a dataset may be dropped, or its
   * declaration changed so that the row filter of the key does not fit.
   * @returns what the caller sees of a change; undefined where the stream ends
   */
  async function mayGoOn(headers: Parameters<Identify>[0], dataset: LiveDataset) {
    try {
      const client = await identify(headers);
      requireScope(client, `data:read:${dataset.name}`);
      const ready = datasets.get(dataset.name);
      return ready.dataset === dataset ? (changeTestFor(client, ready) ?? EVERY) : undefined;
    } catch {
      return undefined;
    }
  }

  async function* events(headers: Parameters<Identify>[0], dataset: LiveDataset, cursor: Cursor) {
    const { follower, replica, log } = dataset;
    let { position, sent } = cursor;
    yield 'retry: 2000\n\n';
    for (;;) {
      const shown = await mayGoOn(headers, dataset);
      if (shown === undefined) return;
      // The entry of the cursor again, of which some changes may not have been sent.
      for (let next = sent < ALL ? position : position + 1; next <= endOf(dataset); next += 1) {
        const entry = await log.read(next);
        if (entry === undefined) return; // removed meanwhile: the next connection is refused
        const changes = entry.kind === 'changes' ? entry.changes : [];
        for (const [at, change] of changes.entries()) {
          if (next === position && at < sent) continue;
          const id = at === changes.length - 1 ? `${next}` : `${next}.${at + 1}`;
          const seen = shown(change);
          if (seen !== undefined) yield `id: ${id}\nevent: change\ndata: ${toItem(entry, seen)}\n\n`;
        }
        [position, sent] = [next, ALL];
        if (entry.kind === 'schema') break; // a row filter is compiled for the declaration in force
      }
      if (position < endOf(dataset)) continue;
      if (!(await follower.waitFor(replica.position + 1, silenceMs))) yield ': nothing changed\n\n';
    }
  }

  return async (ctx) => {
    const { after } = readQuery(ctx, ['after']);
    const { dataset } = datasets.get(ctx.params.name ?? '');
    const cursor = toCursor(ctx.get(LAST_EVENT_ID), after);
    await awaitVersion(dataset, cursor.position);
    await requireKept(dataset, cursor.sent < ALL ? cursor.position - 1 : cursor.position);
    const { actor } = ctx.state.client;
    const count = open.get(actor) ?? 0;
    if (count >= most) {
      throw new SlipwayError('rate.exceeded', `the limit of ${most} open streams of one client is reached: end one`);
    }
    open.set(actor, count + 1);
    ctx.res.once('close', () => open.set(actor, (open.get(actor) ?? 1) - 1));
    ctx.type = 'text/event-stream';
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Accel-Buffering', 'no');
    ctx.body = Readable.from(events(ctx.req.headers, dataset, cursor));
    ctx.res.flushHeaders();
  };
}

/** @throws parameter.invalid */
function toCursor(lastEventId: string | undefined, after: string | undefined): Cursor {
  if (lastEventId) {
    const [, position = '', sent] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(lastEventId) ?? [];
    if (position === '') throw invalid(LAST_EVENT_ID, 'is not accepted: send the id of an event of this stream');
    return { position: Number(position), sent: sent === undefined ? ALL : Number(sent) };
  }
  if (after === undefined) throw invalid('after', 'is missing: send the position that was read last, or 0');
  return { position: toCount('after', after, { from: 0, to: Number.MAX_SAFE_INTEGER }), sent: ALL };
}
