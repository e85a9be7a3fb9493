import { createDraw } from '../../../examples/reference-data/random.js';
import type { Change, LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { createReplica, type Replica } from '../../../reference/dataset/replica.js';
import { acceptsRow, rewriteRow } from '../../../reference/rows/row-validation.js';

export const WORDS = DatasetSpec.parse({ fields: { word: { type: 'text' } } });
export const timeOf = (position: number): string => new Date(Date.UTC(2026, 0, 1) + position * 1_000).toISOString();

/** The text of a row as it is stored. */
export const bodyOf = (id: string, version: number, word: string, at: string): string =>
  `{"id":"${id}","word":"${word}","version":${version},"created_at":"${timeOf(0)}","updated_at":"${at}"}`;

export function changeOf(
  id: string,
  version: number,
  word: string | null,
  { at = timeOf(0), schema = 1 } = {},
): Change {
  const body = word === null ? null : bodyOf(id, version, word, at);
  return { id, version, at, body, actor: 'test', schema, commit: `${id}/${version}` };
}

export const newReplica = (): Replica => createReplica({ accepts: acceptsRow, rewrite: rewriteRow });

export const place = (contents: readonly LogContent[]): LogEntry[] =>
  contents.map((content, at) => ({ ...content, position: at + 1, at: timeOf(at + 1), token: `t${at + 1}` }));

/** A random log: changes of few entities, some of them repeated, imports that hold and release or discard, pins. */
export function randomLog(seed: number, length: number): LogEntry[] {
  const { below, pick } = createDraw(seed);
  const versions = new Map<string, number>();
  let held: string | undefined;
  const contents: LogContent[] = [{ kind: 'schema', spec: WORDS, schema: 1, actor: 'test' }];
  while (contents.length < length) {
    const position = contents.length + 1;
    const kind = pick(['changes', 'changes', 'changes', 'changes', 'hold', 'end', 'pin', 'heartbeat'] as const);
    if (kind === 'changes') {
      const changes = Array.from({ length: 1 + below(3) }, () => {
        const id = String(1 + below(6));
        const version = (versions.get(id) ?? 0) + (below(8) === 0 ? 0 : 1); // some come twice
        versions.set(id, Math.max(version, versions.get(id) ?? 0));
        return changeOf(id, version, below(5) === 0 ? null : `w${position}`, { at: timeOf(position) });
      });
      contents.push({ kind, changes });
    } else if (kind === 'hold' && held === undefined) contents.push({ kind, import: (held = `imp${position}`) });
    else if (kind === 'end' && held !== undefined) {
      contents.push({ kind: pick(['release', 'discard'] as const), import: held });
      held = undefined;
    } else if (kind === 'pin') {
      contents.push(
        below(2) === 0
          ? { kind: 'unpin', actor: 'test' }
          : { kind, version: 1 + below(position - 1), asOf: timeOf(1), reason: 'test', actor: 'test' },
      );
    } else contents.push({ kind: 'heartbeat' });
  }
  return place(contents);
}

/** The rows that readers of a position see, by id. */
export function stateAt({ rows }: Pick<Replica, 'rows'>, position: number): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (let id = 1n; id <= 6n; id += 1n) {
    const row = rows.findAt(id, position);
    if (row >= 0) found[String(id)] = [rows.version(row), rows.isDeleted(row) || rows.bytes(row).toString()];
  }
  return found;
}
