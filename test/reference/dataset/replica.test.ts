import { expect, test } from 'vitest';
import type { LogContent } from '../../../reference/dataset/change.js';
import { body, change, changes, declare, fold, TIME, words } from './replica-scene.js';

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
