import { expect, test } from 'vitest';
import fc from 'fast-check';
import type { LogContent } from '../../../reference/dataset/change.js';
import { change, changes, declare, fold, foldSlowly, stateOf, words } from './replica-scene.js';

/** Folds the same contents in the plainest way. @returns the words of the first four entities */
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
