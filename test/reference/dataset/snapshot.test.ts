import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createReplica, type Replica } from '../../../reference/dataset/replica.js';
import { acceptsRow, rewriteRow } from '../../../reference/rows/row-validation.js';
import { decodeSnapshot, encodeSnapshot } from '../../../reference/dataset/snapshot.js';
import type { Change, LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

const FIRST = Date.parse('2026-01-01T00:00:00.000Z');
const timeOf = (position: number) => new Date(FIRST + position * 15_000).toISOString();
const SPEC = DatasetSpec.parse({ fields: { word: { type: 'text' } } });
const IDS = ['1', '2', '9007199254740993', '9223372036854775807'];

const body = (id: string, version: number, word: string) =>
  `{"id":"${id}","word":${JSON.stringify(word)},"version":${version},"created_at":"${timeOf(0)}","updated_at":"${timeOf(0)}"}`;
const change = (id: string, version: number, word: string | null): Change => ({
  id,
  version,
  at: timeOf(0),
  body: word === null ? null : body(id, version, word),
  actor: 'test',
  schema: 1,
  commit: `${id}/${version}`,
});
const newReplica = () => createReplica({ accepts: acceptsRow, rewrite: rewriteRow });
const entryAt = (position: number, content: LogContent): LogEntry => ({
  ...content,
  position,
  at: timeOf(position),
  token: String(position),
});
const DECLARED = entryAt(1, { kind: 'schema', spec: SPEC, schema: 1, actor: 'test' });

/** All that readers of any kept version see, and what the next changes will meet. */
function stateOf(replica: Replica) {
  const { rows, position, newest, newestAt, visible, pin, declaration, generation, keptFrom } = replica;
  const shown: unknown[] = [];
  for (let version = Math.max(1, keptFrom); version <= position; version += 1) {
    for (const id of IDS) {
      const row = rows.findAt(BigInt(id), version);
      if (row >= 0) {
        const isShown = rows.isAt(row, version);
        shown.push([version, id, rows.version(row), isShown, rows.bytes(row).toString()]);
      }
    }
  }
  const counts = [rows.live(), rows.entities()];
  const latest = IDS.map((id) => replica.latest(id));
  return { position, newest, newestAt, visible, pin, declaration, generation, keptFrom, shown, counts, latest };
}

async function snapshotOf(replica: Replica, during: () => void = () => {}): Promise<Buffer> {
  const head = replica.head();
  if (head === undefined) throw new Error('it is held');
  const chunks: Buffer[] = [];
  for await (const chunk of encodeSnapshot(replica, head)) {
    if (chunks.length === 0) during();
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}
async function restored(bytes: Buffer, size = 7): Promise<Replica> {
  const replica = newReplica();
  async function* parts(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  await decodeSnapshot(parts(), replica);
  return replica;
}

const Step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      ids: fc.array(fc.constantFrom(...IDS), { minLength: 1, maxLength: 5 }),
      word: fc.option(fc.constantFrom('a', 'é\n', '"quoted"', ''), { freq: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pin' as const), back: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'unpin' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('forget' as const), versions: fc.integer({ max: 6, min: 0 }) }),
  },
);

/** Applies steps to several replicas alike. */
function play(replicas: readonly Replica[], steps: readonly (typeof Step extends fc.Arbitrary<infer T> ? T : never)[]) {
  for (const step of steps) {
    for (const replica of replicas) {
      const position = replica.position + 1;
      const apply = (content: LogContent) => replica.apply(entryAt(position, content));
      if (step.kind === 'change') {
        const versions = new Map<string, number>();
        const list = step.ids.map((id) => {
          const version = (versions.get(id) ?? replica.latest(id)?.version ?? 0) + 1;
          versions.set(id, version);
          return change(id, version, step.word);
        });
        apply({ kind: 'changes', changes: list });
      } else if (step.kind === 'pin') {
        const version = Math.max(1, replica.keptFrom, replica.newest - step.back);
        apply({ kind: 'pin', version, asOf: timeOf(version), reason: 'r', actor: 'test' });
      } else if (step.kind === 'unpin') apply({ kind: 'unpin', actor: 'test' });
      else replica.forget({ time: replica.newestAt, versions: step.versions });
    }
  }
}

test('a snapshot and what follows it is the same as the whole log, at every kept version', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { maxLength: 25 }), fc.array(Step, { maxLength: 15 }), async (before, after) => {
      const whole = newReplica();
      whole.apply(DECLARED);
      play([whole], before);
      const copy = await restored(await snapshotOf(whole));
      expect(stateOf(copy)).toEqual(stateOf(whole));
      play([whole, copy], after);
      expect(stateOf(copy)).toEqual(stateOf(whole));
    }),
    { numRuns: 300 },
  );
});

test('what changes while it is written is not in it', async () => {
  const replica = newReplica();
  replica.apply(DECLARED);
  replica.apply(entryAt(2, { kind: 'changes', changes: [change('1', 1, 'a'), change('2', 1, 'b')] }));
  const before = stateOf(replica);
  const bytes = await snapshotOf(replica, () => {
    const changes = [change('1', 2, 'later'), change('2', 2, null), change('9007199254740993', 1, 'new')];
    replica.apply(entryAt(3, { kind: 'changes', changes }));
  });
  expect(stateOf(await restored(bytes))).toEqual(before);
});

test('there is none while an import holds the dataset', () => {
  const replica = newReplica();
  replica.apply(DECLARED);
  replica.apply(entryAt(2, { kind: 'hold', import: 'i' }));
  expect(replica.head()).toBeUndefined();
  replica.apply(entryAt(3, { kind: 'release', import: 'i' }));
  expect(replica.head()?.position).toBe(3);
});

test('a large row and many chunks come back as they were', async () => {
  const replica = newReplica();
  replica.apply(DECLARED);
  const long = 'é'.repeat(300_000);
  replica.apply(entryAt(2, { kind: 'changes', changes: [change('1', 1, 'a'), change('2', 1, long)] }));
  const copy = await restored(await snapshotOf(replica), 65_536);
  expect(stateOf(copy)).toEqual(stateOf(replica));
});

test.each([
  ['cut off', (text: string) => text.slice(0, -20)],
  ['without a row', (text: string) => text.replace(/\n1 1 .*\n/, '\n')],
  ['of another format', (text: string) => text.replace('"format":1', '"format":2')],
  ['empty', () => ''],
])('a snapshot that is %s is refused', async (_, spoil) => {
  const replica = newReplica();
  replica.apply(DECLARED);
  replica.apply(entryAt(2, { kind: 'changes', changes: [change('1', 1, 'a'), change('2', 1, 'b')] }));
  const spoiled = Buffer.from(spoil((await snapshotOf(replica)).toString()));
  await expect(restored(spoiled)).rejects.toThrow();
});
