import { isNotFound, stateOf, type Entity, type Kind, type Slipway } from '../client/index.js';
import { createPatience } from '../client/patience.js';
import type { CliContext } from './context.js';
import { nameOf } from './kinds.js';
import { columnsOf } from './output/columns.js';
import type { Format } from './output/format.js';
import { toCells, toLine, widthsOf } from './output/table.js';

interface Watched {
  slipway: Slipway;
  kind: Kind;
  /** None: all of the kind. */
  ids: readonly string[];
  format: Format;
  states: readonly string[] | undefined;
}

const POLL_MS = 1_000;

/**
 * Shows what is there, then every change, until Ctrl-C; a server that restarts is waited for. What was named ends the
 * watch when all of it is deleted.
 */
export async function watch(context: CliContext, watched: Watched): Promise<void> {
  const { signal, terminal, pause } = context;
  const { ids, kind, states } = watched;
  const onTrouble = (): void => terminal.note('the server does not answer; trying again');
  const patience = createPatience({ signal, patienceMs: Infinity, onTrouble, pause });
  const look = ids.length === 0 ? lookAtAll(watched, signal) : lookAtSome(watched, signal);
  const print = createPrinter(context, watched);
  const left = new Set(ids);
  for (;;) {
    const { changed, gone } = await patience.call(look);
    await print(changed.filter((entity) => states?.includes(stateOf(entity)) ?? true));
    for (const id of gone) {
      terminal.note(`${nameOf({ kind, id })} is deleted`);
      left.delete(id);
    }
    if (ids.length > 0 && left.size === 0) return;
    await pause(POLL_MS, signal);
  }
}

interface Change {
  changed: Entity[];
  /** Ids of what was deleted since the last look. */
  gone: string[];
}

function lookAtAll({ slipway, kind }: Watched, signal: AbortSignal): () => Promise<Change> {
  let known = new Map<string, string>();
  return async () => {
    const entities: Entity[] = await slipway.reader(kind).list({}, { signal });
    const now = new Map(entities.map((entity) => [entity.id, JSON.stringify(entity)]));
    const changed = entities.filter(({ id }) => known.get(id) !== now.get(id));
    const gone = [...known.keys()].filter((id) => !now.has(id));
    known = now;
    return { changed, gone };
  };
}

/** Asks for each by its revision, which costs the server next to nothing while nothing changes. */
function lookAtSome({ slipway, kind, ids }: Watched, signal: AbortSignal): () => Promise<Change> {
  const entities = slipway.reader(kind);
  const etags = new Map<string, string>();
  const left = new Set(ids);
  return async () => {
    const changed: Entity[] = [];
    const gone: string[] = [];
    for (const id of left) {
      try {
        const found = await entities.getChanged(id, etags.get(id), { signal });
        if (found === undefined) continue;
        etags.set(id, found.etag);
        changed.push(found.entity);
      } catch (error) {
        const isGone = isNotFound(error) && etags.has(id);
        if (!isGone) throw error;
        gone.push(id);
        left.delete(id);
      }
    }
    return { changed, gone };
  };
}

/** A table that grows at its end, in columns as wide as its first lines need. */
function createPrinter(
  { terminal, now }: CliContext,
  { kind, format }: Watched,
): (entities: readonly Entity[]) => Promise<void> {
  let widths: number[] | undefined;
  return async (entities) => {
    if (entities.length === 0) return;
    if (format.form === 'data') {
      const texts = await Promise.all(entities.map((entity) => format.toText([entity], false)));
      return terminal.out(texts.join('\n'));
    }
    const columns = columnsOf(kind, { wide: format.wide });
    const cells = toCells(columns, entities, now());
    const headers = columns.map(({ header }) => header);
    if (widths === undefined) {
      widths = widthsOf([headers, ...cells]).map((width, at) => Math.max(width, headers[at] === 'STATE' ? 10 : 0));
      terminal.out(toLine(headers, widths));
    }
    for (const line of cells) terminal.out(toLine(line, widths));
  };
}
