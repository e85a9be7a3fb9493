import { expect, test } from 'vitest';
import { createDraw } from '../../../examples/reference-data/random.js';
import type { LogContent, LogEntry } from '../../../reference/dataset/change.js';
import { decodeSnapshot, encodeSnapshot } from '../../../reference/dataset/snapshot.js';
import type { Replica } from '../../../reference/dataset/replica.js';
import { bodyOf, changeOf, newReplica, place, randomLog, stateAt, timeOf, WORDS } from './change-logs.js';

const fold = (entries: readonly LogEntry[], replica = newReplica()): Replica => {
  for (const entry of entries) replica.apply(entry);
  return replica;
};
const factsOf = ({ position, at, newest, newestAt, visible, heldBy, pin, blocked, generation }: Replica) => ({
  ...{ position, at, newest, newestAt, visible, heldBy, pin, blocked, generation },
});

/** The states of a log by position, as the rules say, with plain maps. */
function statesOf(entries: readonly LogEntry[]) {
  let state = new Map<string, [version: number, text: string | true]>();
  let held: Map<string, [number, string | null]> | undefined;
  let newest = 0;
  return entries.map((entry) => {
    const next = new Map(state);
    let isNew = false;
    if (entry.kind === 'schema') isNew = true;
    if (entry.kind === 'hold') held ??= new Map();
    if (entry.kind === 'changes') {
      for (const { id, version, body } of entry.changes) {
        if (version !== (held?.get(id)?.[0] ?? next.get(id)?.[0] ?? 0) + 1) continue;
        if (held) held.set(id, [version, body]);
        else {
          next.set(id, [version, body ?? true]);
          isNew = true;
        }
      }
    }
    if ((entry.kind === 'release' || entry.kind === 'discard') && held) {
      for (const [id, [version, body]] of held) {
        const known = next.get(id)?.[1];
        // A discarded change is a version with the content of the one before.
        const kept = typeof known === 'string' ? known.replace(/"version":\d+/, `"version":${version}`) : true;
        next.set(id, [version, entry.kind === 'release' ? (body ?? true) : kept]);
        isNew = true;
      }
      held = undefined;
    }
    state = next;
    if (isNew) newest = entry.position;
    return { newest, state: Object.fromEntries(state) };
  });
}

test.each([1, 2, 3, 4, 5, 6])('at every position a replica has the state that the rules give: log %i', (seed) => {
  const entries = randomLog(seed, 80);
  const expected = statesOf(entries);
  const replica = fold(entries);
  for (const [at, { state }] of expected.entries()) expect([at + 1, stateAt(replica, at + 1)]).toEqual([at + 1, state]);
  expect(replica.newest).toBe(expected.at(-1)?.newest);
});

test.each([11, 12, 13])('what a reader saw at a position it sees for ever: log %i', (seed) => {
  const replica = newReplica();
  const seen = randomLog(seed, 60).map((entry) => {
    replica.apply(entry);
    return stateAt(replica, entry.position);
  });
  expect(seen.map((_, at) => stateAt(replica, at + 1))).toEqual(seen);
});

test.each([21, 22, 23])('long entries that are prepared first have the same effect: log %i', async (seed) => {
  const entries = randomLog(seed, 60);
  const prepared = newReplica();
  for (const entry of entries) {
    const before = stateAt(prepared, entry.position - 1);
    await prepared.prepare(entry);
    expect(stateAt(prepared, entry.position - 1)).toEqual(before); // readers see nothing of it yet
    prepared.apply(entry);
  }
  const plain = fold(entries);
  expect(factsOf(prepared)).toEqual(factsOf(plain));
  expect(entries.map(({ position }) => stateAt(prepared, position))).toEqual(
    entries.map(({ position }) => stateAt(plain, position)),
  );
});

async function copyOf(replica: Replica): Promise<Replica | undefined> {
  const head = replica.head();
  if (head === undefined) return undefined;
  const copy = newReplica();
  await decodeSnapshot(encodeSnapshot(replica, head), copy);
  return copy;
}

test.each([31, 32, 33])(
  'a replica that starts from a snapshot anywhere catches up to the same state: log %i',
  async (seed) => {
    const entries = randomLog(seed, 70);
    const { below } = createDraw(seed);
    const whole = fold(entries);
    let copies = 0;
    for (let cut = 1 + below(4); cut < entries.length; cut += 1 + below(6)) {
      const copy = await copyOf(fold(entries.slice(0, cut)));
      if (copy === undefined) continue; // an import holds changes back, which no snapshot has
      copies += 1;
      fold(entries.slice(cut), copy);
      expect([cut, factsOf(copy), stateAt(copy, 70)]).toEqual([cut, factsOf(whole), stateAt(whole, 70)]);
      expect(stateAt(copy, cut)).toEqual(stateAt(whole, cut));
    }
    expect(copies).toBeGreaterThan(3);
  },
);

test.each([41, 42])(
  'forgetting hides no position that is kept, and a snapshot of the rest is the rest: log %i',
  async (seed) => {
    const entries = randomLog(seed, 80).filter(({ kind }) => kind !== 'pin' && kind !== 'unpin');
    const whole = newReplica();
    const forgetful = newReplica();
    for (const [at, content] of entries.entries()) {
      const entry = { ...content, position: at + 1, at: timeOf(at * 20) };
      whole.apply(entry);
      forgetful.apply(entry);
      forgetful.forget({ time: timeOf(at * 20 - 200), versions: 10 });
    }
    expect(forgetful.keptFrom).toBeGreaterThan(0);
    const copy = (await copyOf(forgetful)) ?? forgetful;
    for (let position = forgetful.keptFrom; position <= entries.length; position += 1) {
      expect(stateAt(forgetful, position)).toEqual(stateAt(whole, position));
      expect(stateAt(copy, position)).toEqual(stateAt(whole, position));
    }
  },
);

const declare: LogContent = { kind: 'schema', spec: WORDS, schema: 1, actor: 'test' };
const changes = (...list: ReturnType<typeof changeOf>[]): LogContent => ({ kind: 'changes', changes: list });

test('a change out of turn has no effect, whatever comes later', () => {
  const replica = fold(
    place([declare, changes(changeOf('1', 2, 'b')), changes(changeOf('1', 1, 'a')), changes(changeOf('1', 3, 'c'))]),
  );
  expect(stateAt(replica, 4)).toEqual({ 1: [1, bodyOf('1', 1, 'a', timeOf(0))] });
  expect(replica.newest).toBe(3);
});

test('changes before any declaration use up their versions', () => {
  const replica = fold(place([changes(changeOf('1', 1, 'a')), declare, changes(changeOf('1', 2, 'b'))]));
  expect(stateAt(replica, 1)).toEqual({ 1: [1, true] });
  expect(stateAt(replica, 3)).toEqual({ 1: [2, bodyOf('1', 2, 'b', timeOf(0))] });
});

test('a second hold does not take over, and the end of another import ends nothing', () => {
  const replica = fold(
    place([
      declare,
      { kind: 'hold', import: 'a' },
      { kind: 'hold', import: 'b' },
      changes(changeOf('1', 1, 'x')),
      { kind: 'release', import: 'b' },
    ]),
  );
  expect([replica.heldBy, replica.newest, stateAt(replica, 5)]).toEqual(['a', 1, {}]);
  expect(replica.head()).toBeUndefined();
});

test('the upcoming state of a hold is the state after its release', () => {
  const contents = [
    declare,
    changes(changeOf('1', 1, 'a'), changeOf('2', 1, 'b'), changeOf('3', 1, 'c')),
    { kind: 'hold', import: 'i' } as const,
    changes(changeOf('1', 2, 'A'), changeOf('2', 2, null), changeOf('4', 1, 'd')),
  ];
  const held = fold(place(contents));
  const upcoming = [...held.upcoming()].sort();
  const released = fold(place([...contents, { kind: 'release', import: 'i' }]));
  const visible = Object.values(stateAt(released, 5))
    .flatMap((each) => (each as unknown[]).slice(1))
    .filter((each) => each !== true);
  expect(upcoming).toEqual(visible.sort());
});

test('a refused import is reported until a declaration or another import', () => {
  const refused = [
    declare,
    { kind: 'hold', import: 'i' } as const,
    { kind: 'discard', import: 'i', blocked: 'two rows' } as const,
  ];
  expect(fold(place(refused)).blocked).toEqual({ import: 'i', message: 'two rows', at: timeOf(3) });
  expect(fold(place([...refused, { ...declare, schema: 2 }])).blocked).toBeUndefined();
  const again = [...refused, { kind: 'hold', import: 'j' } as const, { kind: 'release', import: 'j' } as const];
  expect(fold(place(again)).blocked).toBeUndefined();
});
