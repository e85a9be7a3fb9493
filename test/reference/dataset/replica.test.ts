import { expect, test } from 'vitest';
import fc from 'fast-check';
import { createReplica } from '../../../reference/dataset/replica.js';
import type { Change, LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

const TIME = '2026-01-01T00:00:00.000Z';
const SPEC = DatasetSpec.parse({ fields: { word: { type: 'text' } } });
const body = (id: string, version: number, word: string) =>
  `{"id":"${id}","word":"${word}","version":${version},"created_at":"${TIME}","updated_at":"${TIME}"}`;
const change = (id: string, version: number, word: string | null, schema = 1): Change => ({
  id,
  version,
  at: TIME,
  body: word === null ? null : body(id, version, word),
  actor: 'test',
  schema,
  commit: `${id}/${version}`,
});

// A stand-in for the validation of rows: generation n refuses words that begin with the digit n.
const accepts = (spec: DatasetSpec, text: string) => !text.includes(`"word":"${spec.title}`);
const rewrite = (_: DatasetSpec, text: string) => text;
const newReplica = () => createReplica({ accepts, rewrite });
const declare = (schema: number): LogContent => ({
  kind: 'schema',
  spec: { ...SPEC, title: String(schema) },
  schema,
  actor: 'test',
});
const place = (contents: readonly LogContent[]): LogEntry[] =>
  contents.map((content, index) => ({ ...content, position: index + 1, at: TIME, token: String(index) }));
const fold = (contents: readonly LogContent[]) => {
  const replica = newReplica();
  for (const entry of place(contents)) replica.apply(entry);
  return replica;
};
/** The same, as a process does it that serves others meanwhile. */
const foldSlowly = async (contents: readonly LogContent[]) => {
  const replica = newReplica();
  for (const entry of place(contents)) {
    await replica.prepare(entry);
    replica.apply(entry);
  }
  return replica;
};
const changes = (...list: Change[]): LogContent => ({ kind: 'changes', changes: list });
/** The state that readers see, with positions and versions. */
function stateOf(replica: ReturnType<typeof newReplica>) {
  const { rows, newest, visible, position, heldBy, pin, declaration } = replica;
  const found: Record<string, unknown> = {};
  for (let id = 1n; id <= 4n; id += 1n) {
    const row = rows.findAt(id, visible);
    if (row >= 0) found[String(id)] = [rows.version(row), rows.isDeleted(row), rows.bytes(row).toString()];
  }
  return { newest, visible, position, heldBy, pin, declaration, found };
}
const words = (replica: ReturnType<typeof newReplica>) =>
  [1n, 2n, 3n, 4n].map((id) => {
    const row = replica.rows.findAt(id, replica.visible);
    if (row < 0) return undefined;
    return replica.rows.isDeleted(row) ? null : JSON.parse(replica.rows.bytes(row).toString()).word;
  });

test('a change that is listed twice counts once', () => {
  const replica = fold([
    declare(1),
    changes(change('1', 1, 'a')),
    changes(change('1', 1, 'a')),
    changes(change('1', 2, 'b')),
  ]);
  expect(words(replica)).toEqual(['b', undefined, undefined, undefined]);
  expect(replica.newest).toBe(4);
  expect(fold([declare(1), changes(change('1', 1, 'a')), changes(change('1', 1, 'a'))]).newest).toBe(2);
});

test('an entity that is deleted and comes back goes on counting', () => {
  const replica = fold([
    declare(1),
    changes(change('1', 1, 'a')),
    changes(change('1', 2, null)),
    changes(change('1', 3, 'b')),
  ]);
  expect(replica.latest('1')).toEqual({ version: 3, body: body('1', 3, 'b'), at: TIME });
});

test('a change that the new declaration does not take is a version with the content of the one before', () => {
  const replica = fold([declare(1), changes(change('1', 1, 'a')), declare(2), changes(change('1', 2, '2b'))]);
  expect(replica.latest('1')?.body).toBe(body('1', 2, 'a'));
  expect(fold([declare(1), declare(2), changes(change('1', 1, '2b'))]).latest('1')).toEqual({
    version: 1,
    body: null,
    at: TIME,
  });
});

test('a hold keeps changes back until the release of the same import', () => {
  const held: LogContent[] = [
    declare(1),
    changes(change('1', 1, 'a')),
    { kind: 'hold', import: 'i' },
    changes(change('1', 2, 'b'), change('2', 1, 'c')),
    { kind: 'release', import: 'other' },
  ];
  const before = fold(held);
  expect(words(before)).toEqual(['a', undefined, undefined, undefined]);
  expect(before.newest).toBe(2);
  expect(before.latest('1')?.version).toBe(2);
  const after = fold([...held, { kind: 'release', import: 'i' }]);
  expect(words(after)).toEqual(['b', 'c', undefined, undefined]);
  expect(after.newest).toBe(6);
});

test('a discarded hold leaves the state as it was, and its versions used up', () => {
  const replica = fold([
    declare(1),
    changes(change('1', 1, 'a')),
    { kind: 'hold', import: 'i' },
    changes(change('1', 2, 'b'), change('2', 1, 'c')),
    { kind: 'discard', import: 'i' },
  ]);
  expect(words(replica)).toEqual(['a', null, undefined, undefined]);
  expect(replica.latest('1')).toEqual({ version: 2, body: body('1', 2, 'a'), at: TIME });
  expect(replica.heldBy).toBeUndefined();
});

test.each(['release', 'discard'] as const)(
  'the %s of a large hold lets others have their turn, and none of them sees a part of it',
  async (kind) => {
    const count = 20_000;
    const ids = Array.from({ length: count }, (_, n) => String(n + 1));
    const [first, last] = [BigInt(1), BigInt(count)];
    const held: LogContent[] = [
      declare(1),
      changes(change('1', 1, 'before')),
      { kind: 'hold', import: 'i' },
      changes(...ids.map((id) => change(id, id === '1' ? 2 : 1, 'new'))),
    ];
    const replica = fold(held);
    const entry = { kind, import: 'i', position: 5, at: TIME, token: 'r' } as const;
    const seen = (id: bigint) => {
      const row = replica.rows.findAt(id, replica.visible);
      return row < 0 || replica.rows.isDeleted(row) ? undefined : JSON.parse(replica.rows.bytes(row).toString()).word;
    };
    let done = false;
    const preparing = replica.prepare(entry)?.then(() => (done = true));
    let turns = 0;
    for (; !done; turns += 1) {
      expect([seen(first), seen(last), replica.newest, replica.heldBy]).toEqual(['before', undefined, 2, 'i']);
      expect(replica.latest('1')?.version).toBe(2);
      await new Promise((next) => setImmediate(next));
    }
    await preparing;
    expect(turns).toBeGreaterThanOrEqual(count / 500);
    replica.apply(entry);
    expect([seen(first), seen(last)]).toEqual(kind === 'release' ? ['new', 'new'] : ['before', undefined]);
    expect([replica.newest, replica.heldBy, replica.rows.entities()]).toEqual([5, undefined, count]);
  },
);

test.each(['dropped', 'schema'] as const)(
  'what %s does to every row lets others have their turn, and nothing of it is seen before the end',
  async (kind) => {
    const count = 20_000;
    const prepared: number[] = [];
    const replica = createReplica({ accepts, rewrite: (_, text) => text.replace('"old', '"new') });
    const ids = Array.from({ length: count }, (_, n) => String(n + 1));
    const first = [declare(1), changes(...ids.map((id) => change(id, 1, `old${id}`)))];
    for (const entry of place(first)) replica.apply(entry);
    replica.watch({
      added: () => {},
      forgotten: () => {},
      prepare: async ({ generation }) => void prepared.push(generation, replica.rows.end()),
      declared: () => {},
    });
    const content = kind === 'dropped' ? ({ kind, actor: 't' } as const) : { ...declare(2), rewrite: true };
    const entry: LogEntry = { ...content, position: 3, at: TIME, token: 'r' };
    const seen = (id: string) => {
      const row = replica.rows.findAt(BigInt(id), replica.visible);
      return replica.rows.isDeleted(row) ? null : JSON.parse(replica.rows.bytes(row).toString()).word;
    };
    let done = false;
    const preparing = replica.prepare(entry)?.then(() => (done = true));
    let turns = 0;
    for (; !done; turns += 1) {
      expect([seen('1'), seen(String(count)), replica.newest]).toEqual(['old1', `old${count}`, 2]);
      expect(replica.declaration?.generation).toBe(1);
      await new Promise((next) => setImmediate(next));
    }
    await preparing;
    expect(turns).toBeGreaterThanOrEqual(count / 500);
    // The new index is made of all rows before any of them counts.
    expect(prepared).toEqual(kind === 'dropped' ? [] : [2, 2 * count]);
    replica.apply(entry);
    expect([seen('1'), seen(String(count))]).toEqual(kind === 'dropped' ? [null, null] : ['new1', `new${count}`]);
    expect([replica.newest, replica.declaration?.generation]).toEqual([3, kind === 'dropped' ? undefined : 2]);
    expect(replica.rows.end()).toBe(2 * count); // none of it was done twice
  },
);

test('a pin shows an earlier state while writes go on', () => {
  const pinned: LogContent[] = [
    declare(1),
    changes(change('1', 1, 'a')),
    changes(change('1', 2, 'b')),
    { kind: 'pin', version: 2, asOf: TIME, reason: 'bad data', actor: 'test' },
    changes(change('1', 3, 'c')),
  ];
  const replica = fold(pinned);
  expect(words(replica)[0]).toBe('a');
  expect([replica.visible, replica.newest]).toEqual([2, 5]);
  expect(words(fold([...pinned, { kind: 'unpin', actor: 'test' }]))[0]).toBe('c');
});

test('a dropped dataset has no rows; declared again, its entities go on counting', () => {
  const dropped: LogContent[] = [declare(1), changes(change('1', 1, 'a')), { kind: 'dropped', actor: 'test' }];
  expect(words(fold(dropped))).toEqual([null, undefined, undefined, undefined]);
  const again = fold([...dropped, declare(2), changes(change('1', 2, 'b', 2))]);
  expect(again.latest('1')?.body).toBe(body('1', 2, 'b'));
});

test('what a retained version needs is kept, the rest is forgotten', () => {
  const contents = Array.from({ length: 50 }, (_, n) => changes(change('1', n + 1, `w${n + 1}`)));
  const replica = fold([declare(1), ...contents]);
  replica.forget({ time: '2027-01-01T00:00:00.000Z', versions: 20 });
  expect(replica.keptFrom).toBe(31);
  const row = replica.rows.findAt(1n, 31);
  expect(replica.rows.version(row)).toBe(30);
  expect(replica.rows.findAt(1n, 30)).toBe(-1);
  replica.forget({ time: '2025-01-01T00:00:00.000Z', versions: 1 });
  expect(replica.keptFrom).toBe(31);
});

// The model: what the words of the fold mean, in the plainest way.
function model(contents: readonly LogContent[]) {
  type State = { version: number; word: string | null };
  const seen = new Map<string, State>();
  let pending: Map<string, { state: State; schema: number }> | undefined;
  let owner = '';
  let generation = 0;
  let declared = false;
  const takes = (word: string | null, schema: number) =>
    word === null || (declared && (schema === generation || !word.startsWith(String(generation))));
  const settle = (id: string, { version, word }: State, schema: number) =>
    seen.set(id, { version, word: takes(word, schema) ? word : (seen.get(id)?.word ?? null) });
  const release = (isKept: boolean) => {
    const all = pending ?? new Map<string, { state: State; schema: number }>();
    pending = undefined;
    for (const [id, { state, schema }] of all) {
      if (isKept) settle(id, state, schema);
      else seen.set(id, { version: state.version, word: seen.get(id)?.word ?? null });
    }
  };
  for (const content of contents) {
    if (content.kind === 'schema') [generation, declared] = [content.schema, true];
    if (content.kind === 'hold' && !pending) [pending, owner] = [new Map(), content.import];
    if (content.kind === 'release' && pending && owner === content.import) release(true);
    if (content.kind === 'discard' && pending && owner === content.import) release(false);
    if (content.kind === 'dropped') {
      release(true);
      declared = false;
      for (const [id, { version }] of seen) seen.set(id, { version, word: null });
    }
    if (content.kind !== 'changes') continue;
    for (const { id, version, body: text, schema } of content.changes) {
      const known = pending?.get(id)?.state.version ?? seen.get(id)?.version ?? 0;
      if (version !== known + 1) continue;
      const state = { version, word: text === null ? null : JSON.parse(text).word };
      if (pending) pending.set(id, { state, schema });
      else settle(id, state, schema);
    }
  }
  return ['1', '2', '3', '4'].map((id) => seen.get(id)?.word);
}

const AnyChange = fc
  .tuple(
    fc.constantFrom('1', '2', '3', '4'),
    fc.integer({ min: 1, max: 8 }),
    fc.option(fc.constantFrom('1a', '2b', '3c', 'd')),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([id, version, word, schema]) => change(id, version, word, schema));
const AnyContent: fc.Arbitrary<LogContent> = fc.oneof(
  { weight: 8, arbitrary: fc.array(AnyChange, { minLength: 1, maxLength: 4 }).map((list) => changes(...list)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<LogContent>(
      { kind: 'hold', import: 'i' },
      { kind: 'release', import: 'i' },
      { kind: 'discard', import: 'i' },
      { kind: 'hold', import: 'k' },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<LogContent>({ kind: 'dropped', actor: 't' }, declare(2), declare(3)) },
);

test('random logs with repeats fold to the state of the model, on every reader the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(AnyContent, { maxLength: 40 }), fc.infiniteStream(fc.nat(100)), async (random, dice) => {
      // Each change again somewhere later, as when two complete a left-over record.
      const contents: LogContent[] = [declare(1), ...random];
      for (const content of random) {
        const at = (dice.next().value ?? 0) % (contents.length + 1);
        if (content.kind === 'changes') contents.splice(Math.max(1, at), 0, content);
      }
      const [reader, other] = [fold(contents), fold(contents)];
      expect(words(reader)).toEqual(model(contents));
      expect(stateOf(other)).toEqual(stateOf(reader));
      expect(stateOf(await foldSlowly(contents))).toEqual(stateOf(reader));
    }),
    { numRuns: 300 },
  );
});
