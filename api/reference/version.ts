import { requireId } from '../../reference/rows/id.js';
import { diffVersions } from '../../reference/dataset/diff.js';
import type { Change, LogEntry } from '../../reference/dataset/change.js';
import { SlipwayError, unreachable } from '../../platform/kinds/errors.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { LiveDataset } from '../../reference/stores/live-dataset.js';
import { setFreshness, versionAsked } from './freshness.js';
import { toChangeItem } from './history.js';
import { invalid, readQuery, toCount } from '../http/parameters.js';
import { changeTestFor } from './row-rules.js';
import type { ReferenceStep } from './state.js';

const LATEST = Number.MAX_SAFE_INTEGER;
const MOST_ENTRIES = 200;
const MOST_CHANGES = 1_000;
const MOST_DIFFERENCES = 1_000;
/** Entries read at once: each has up to 500 changes. */
const AHEAD = 8;

/** `GET /v2/datasets/{name}/versions`, `/changes` and `/diff`: the log for tools. */
export function createVersionRoutes({ datasets }: { datasets: Datasets }) {
  /** Lists versions from the newest to the oldest. */
  const list: ReferenceStep = async (ctx) => {
    const { before, limit } = readQuery(ctx, ['before', 'limit']);
    const { dataset } = datasets.get(ctx.params.name ?? '');
    const end = before === undefined ? LATEST : toCount('before', before, { from: 1, to: LATEST });
    const newest = Math.min(endOf(dataset), end - 1);
    const size = limit === undefined ? 50 : toCount('limit', limit, { from: 1, to: MOST_ENTRIES });
    const positions = Array.from({ length: Math.max(0, Math.min(size, newest)) }, (_, index) => newest - index);
    const entries = await Promise.all(positions.map((position) => dataset.log.read(position)));
    // A missing entry was removed, and all entries before it.
    const kept = entries.flatMap((entry) => entry ?? []);
    const last = kept.at(-1)?.position ?? 1;
    setFreshness(ctx, dataset);
    ctx.body = {
      items: kept.map(toVersion),
      ...(last > 1 && kept.length === positions.length && { next_before: last }),
    };
  };

  /** The changes after a position, in order; a client that continues at `next_after` misses none. */
  const changes: ReferenceStep = async (ctx) => {
    const { after: text } = readQuery(ctx, ['after']);
    const ready = datasets.get(ctx.params.name ?? '');
    const { dataset } = ready;
    const shown = changeTestFor(ctx.state.client, ready);
    if (text === undefined) throw invalid('after', 'is missing: send the position that was read last, or 0');
    const from = toCount('after', text, { from: 0, to: LATEST });
    await requireKept(dataset, from);
    const items: string[] = [];
    let after = from;
    for (const end = endOf(dataset); after < end && items.length < MOST_CHANGES;) {
      const length = Math.min(AHEAD, end - after);
      const positions = Array.from({ length }, (_, index) => after + 1 + index);
      const entries = await Promise.all(positions.map((position) => dataset.log.read(position)));
      for (const entry of entries) {
        if (items.length >= MOST_CHANGES) break;
        if (entry === undefined)
          throw new SlipwayError('version.not_retained', 'the log was shortened during this request: send it again');
        if (entry.kind === 'changes') items.push(...shownIn(entry, shown));
        after = entry.position;
      }
    }
    setFreshness(ctx, dataset);
    ctx.type = 'application/json';
    ctx.body = `{"items":[${items.join(',')}],"next_after":${after}}`;
  };

  const diff: ReferenceStep = async (ctx) => {
    const { from, to, after } = readQuery(ctx, ['from', 'to', 'after']);
    const { dataset } = datasets.get(ctx.params.name ?? '');
    if (from === undefined || to === undefined)
      throw invalid(from === undefined ? 'from' : 'to', 'is missing: send the dataset versions from and to');
    const [older, newer] = [await versionAsked(dataset, from, 'from'), await versionAsked(dataset, to, 'to')];
    if (older > newer) throw invalid('from', `${older} is after to, ${newer}: exchange the two`);
    const found = await diffVersions(dataset.replica.rows, { from: older, to: newer });
    const { length: total } = found;
    const rest = after === undefined ? found : found.slice(countUpTo(found, requireId(after)));
    const items = rest.slice(0, MOST_DIFFERENCES).map(({ id, ...change }) => ({ id: String(id), ...change }));
    const count = (operation: string) => found.filter((each) => each.operation === operation).length;
    setFreshness(ctx, dataset);
    ctx.body = {
      from: older,
      to: newer,
      counts: { create: count('create'), update: count('update'), delete: count('delete'), total },
      items,
      ...(rest.length > items.length && { next_after: items.at(-1)?.id }),
    };
  };

  return { list, changes, diff };
}

/** @throws version.not_retained when changes after the position were removed */
export async function requireKept({ retention }: LiveDataset, after: number): Promise<void> {
  const purged = await retention.purgedTo();
  if (after >= purged) return;
  throw new SlipwayError(
    'version.not_retained',
    `position ${after} is not kept any more: read from after=${purged}, or load the dataset again`,
  );
}

const countUpTo = (found: readonly { id: bigint }[], id: bigint): number =>
  found.filter((each) => each.id <= id).length;

/** The end of the visible log: held changes of an import are not shown before their release. */
export const endOf = ({ replica }: LiveDataset): number =>
  replica.heldBy === undefined ? replica.position : replica.newest;

function toVersion(entry: LogEntry) {
  const { position: version, at, kind } = entry;
  switch (kind) {
    case 'changes': {
      const { changes } = entry;
      return { version, at, kind, changes: changes.length, actors: [...new Set(changes.map(({ actor }) => actor))] };
    }
    case 'schema':
      return { version, at, kind, generation: entry.schema, actor: entry.actor };
    case 'pin':
      return { version, at, kind, pinned: entry.version, reason: entry.reason, actor: entry.actor };
    case 'hold':
    case 'release':
    case 'discard':
      return { version, at, kind, import: entry.import };
    case 'heartbeat':
      return { version, at, kind };
    case 'dropped':
    case 'unpin':
      return { version, at, kind, actor: entry.actor };
    default:
      return unreachable(kind);
  }
}

/** Renders the changes of an entry that the client sees. */
function shownIn(entry: LogEntry & { kind: 'changes' }, shown: ReturnType<typeof changeTestFor>): string[] {
  return entry.changes.flatMap((change) => {
    const seen = shown === undefined ? change : shown(change);
    return seen === undefined ? [] : [toItem(entry, seen)];
  });
}

/** Rows are inserted as stored JSON text. */
export function toItem({ position }: LogEntry, change: Change): string {
  const { id } = change;
  return `${JSON.stringify({ dataset_version: position, id }).slice(0, -1)},${toChangeItem(change).slice(1)}`;
}
