import { createReplica } from '../../../reference/dataset/replica.js';
import type { Change, LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

export const TIME = '2026-01-01T00:00:00.000Z';
const SPEC = DatasetSpec.parse({ fields: { word: { type: 'text' } } });
export const body = (id: string, version: number, word: string) =>
  `{"id":"${id}","word":"${word}","version":${version},"created_at":"${TIME}","updated_at":"${TIME}"}`;
export const change = (id: string, version: number, word: string | null, schema = 1): Change => ({
  id,
  version,
  at: TIME,
  body: word === null ? null : body(id, version, word),
  actor: 'test',
  schema,
  commit: `${id}/${version}`,
});

// A stand-in for the validation of rows: generation n refuses words that begin with the digit n.
export const accepts = (spec: DatasetSpec, text: string) => !text.includes(`"word":"${spec.title}`);
const rewrite = (_: DatasetSpec, text: string) => text;
const newReplica = () => createReplica({ accepts, rewrite });
export const declare = (schema: number): LogContent => ({
  kind: 'schema',
  spec: { ...SPEC, title: String(schema) },
  schema,
  actor: 'test',
});
export const place = (contents: readonly LogContent[]): LogEntry[] =>
  contents.map((content, index) => ({ ...content, position: index + 1, at: TIME, token: String(index) }));
export const fold = (contents: readonly LogContent[]) => {
  const replica = newReplica();
  for (const entry of place(contents)) replica.apply(entry);
  return replica;
};
/** Folds entries as a process does that serves requests meanwhile. */
export const foldSlowly = async (contents: readonly LogContent[]) => {
  const replica = newReplica();
  for (const entry of place(contents)) {
    await replica.prepare(entry);
    replica.apply(entry);
  }
  return replica;
};
export const changes = (...list: Change[]): LogContent => ({ kind: 'changes', changes: list });
/** The state that readers see, with positions and versions. */
export function stateOf(replica: ReturnType<typeof newReplica>) {
  const { rows, newest, visible, position, heldBy, pin, declaration } = replica;
  const found: Record<string, unknown> = {};
  for (let id = 1n; id <= 4n; id += 1n) {
    const row = rows.findAt(id, visible);
    if (row >= 0) found[String(id)] = [rows.version(row), rows.isDeleted(row), rows.bytes(row).toString()];
  }
  return { newest, visible, position, heldBy, pin, declaration, found };
}
export const words = (replica: ReturnType<typeof newReplica>) =>
  [1n, 2n, 3n, 4n].map((id) => {
    const row = replica.rows.findAt(id, replica.visible);
    if (row < 0) return undefined;
    return replica.rows.isDeleted(row) ? null : JSON.parse(replica.rows.bytes(row).toString()).word;
  });
