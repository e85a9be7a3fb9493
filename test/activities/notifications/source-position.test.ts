import { expect, test } from 'vitest';
import {
  declaredBy,
  type EventStream,
  findGap,
  positionAfter,
  recallDeclaration,
  releasedAt,
} from '../../../activities/notifications/source-position.js';
import type { StreamEntry } from '../../../notifications/kinds/stream-entry.js';
import type { Change, LogContent } from '../../../reference/dataset/change.js';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';

const AT = '2026-01-02T00:00:00.000Z';
const spec = DatasetSpec.parse({ fields: { title: { type: 'text' } } });
const schema: LogContent = { kind: 'schema', spec, schema: 4, actor: 'ana' };
const entry = (content: LogContent, position = 5): StreamEntry => ({ ...content, position, at: AT, token: 't' });
const change = (id: string): Change => ({
  ...{ id, version: 1, at: AT, body: '{}', actor: 'ana', schema: 1, commit: 'c' },
});
const changes = (...ids: string[]): LogContent => ({ kind: 'changes', changes: ids.map(change) });

/** A log with these entries from a position on; earlier ones were purged. */
function log(contents: LogContent[], { purgedTo = 0, ...beginning }: Partial<Beginning> = {}): EventStream {
  return {
    read: async (position) => {
      const content = contents[position - purgedTo - 1];
      return content && entry(content, position);
    },
    beginning: async () => ({ purgedTo, ...beginning }),
  };
}
type Beginning = Awaited<ReturnType<Required<EventStream>['beginning']>>;

test.each<[string, object, LogContent, object]>([
  ['a change', {}, changes('1'), {}],
  ['a hold', {}, { kind: 'hold', import: 'i' }, { heldFrom: 5 }],
  ['a change during a hold', { heldFrom: 2 }, changes('1'), { heldFrom: 2 }],
  ['a heartbeat during a hold', { heldFrom: 2 }, { kind: 'heartbeat' }, { heldFrom: 2 }],
  ['a second hold', { heldFrom: 2 }, { kind: 'hold', import: 'i' }, { heldFrom: 2 }],
  ['a release', { heldFrom: 2 }, { kind: 'release', import: 'i' }, {}],
  ['a discard', { heldFrom: 2 }, { kind: 'discard', import: 'i' }, {}],
  ['a drop', { heldFrom: 2 }, { kind: 'dropped', actor: 'ana' }, {}],
  ['a declaration', { declaredAt: 1 }, schema, { declaredAt: 5 }],
  ['a change after a declaration', { declaredAt: 1 }, changes('1'), { declaredAt: 1 }],
])('the position after %s', (_, before, content, expected) => {
  const source = { position: 4, index: 3, ...before };
  expect(positionAfter(source, entry(content))).toEqual({ position: 5, index: 0, ...expected });
});

test('a declaration is known by its fields, its generation and its position', () => {
  const given = { ...entry(schema, 8), kind: 'schema' as const, spec, schema: 4, actor: 'ana' };
  expect(declaredBy(given)).toEqual({ fields: spec.fields, generation: 4, position: 8 });
});

test.each([
  ['nothing was purged', { position: 4, index: 0 }, { purgedTo: 0 }],
  ['the purged entries were read', { position: 4, index: 0 }, { purgedTo: 4 }],
])('where %s there is no gap', async (_, source, beginning) => {
  expect(await findGap('positions', source, log([], beginning), AT)).toBeUndefined();
});

test('a stream that keeps all entries has no gap', async () => {
  expect(await findGap('pipeline', { position: 4, index: 0 }, { read: async () => undefined }, AT)).toBeUndefined();
});

test.each([
  ['read up to 4', {}, {}, 4, {}],
  ['held back from 2 on', { heldFrom: 2 }, {}, 2, {}],
  ['a hold lasts there', {}, { isHeld: true }, 4, { heldFrom: 9 }],
  ['with a declaration', { declaredAt: 1 }, { declared: { fields: spec.fields, position: 7 } }, 4, { declaredAt: 7 }],
  ['with a declaration of an earlier version', {}, { declared: { fields: spec.fields } }, 4, {}],
])('a gap up to entry 9: %s', async (_, source, beginning, after, next) => {
  const gap = await findGap(
    'positions',
    { position: 4, index: 2, ...source },
    log([], { purgedTo: 9, ...beginning }),
    AT,
  );
  expect(JSON.parse(gap?.event.data('full') ?? '')).toMatchObject({ after, position: 9, entries: 9 - after });
  expect(gap?.source).toEqual({ position: 9, index: 0, ...next });
});

test('a release has the changes since the hold, in their order', async () => {
  const entries: LogContent[] = [
    changes('1'),
    { kind: 'hold', import: 'i' },
    changes('2', '3'),
    { kind: 'heartbeat' },
    changes('4'),
    { kind: 'release', import: 'i' },
  ];
  const ids = async (source: object, end: number, stream = log(entries)) =>
    (await releasedAt(stream, { position: 5, index: 0, ...source }, end)).map(({ id }) => id);
  expect(await ids({ heldFrom: 2 }, 6)).toEqual(['2', '3', '4']);
  expect(await ids({}, 6)).toEqual([]);
  // The hold was purged: what is kept of the held changes is released.
  expect(await ids({ heldFrom: 9 }, 11, log([changes('8'), changes('9')], { purgedTo: 8 }))).toEqual(['8', '9']);
});

test('a declaration is recalled from its entry, or from the beginning where the entry was purged', async () => {
  const declared = { fields: spec.fields, generation: 4, position: 1 };
  expect(await recallDeclaration(log([schema]), 1)).toEqual({ declared });
  expect(await recallDeclaration(log([], { purgedTo: 3, declared }), 1)).toEqual({ declared });
  // A later declaration was purged too: the one asked for is lost.
  expect(await recallDeclaration(log([], { purgedTo: 3, declared: { ...declared, position: 2 } }), 1)).toEqual({});
  expect(await recallDeclaration(log([], { purgedTo: 3 }), 1)).toEqual({ declared: undefined });
});

test('a declaration that cannot be read now is unknown, which is not the same as lost', async () => {
  expect(await recallDeclaration(log([]), 1)).toBeUndefined();
  expect(await recallDeclaration({ read: async () => undefined }, 1)).toBeUndefined();
});
