import { expect, test } from 'vitest';
import type { Frame } from '../../../gateway/frame.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { DriftQuestion } from '../../../lifecycle/stores/feedback-meter.js';
import type { ObjectStore } from '../../../platform/stores/objects.js';
import { createRecordIndex } from '../../../lifecycle/stores/record-index.js';
import { createFeedbackMeter } from '../../../lifecycle/stores/stored-feedback-meter.js';
import { call, feedback, recordFrames } from '../../gateway/recording.js';

const START = Date.UTC(2026, 10, 20, 8);
const MINUTE = 60_000;

/** A meter on stores of its own, at a time that the test moves. */
function scene({ settleMs = 0 } = {}) {
  const clock = { ms: START };
  const now = () => clock.ms;
  const objects = createMemoryObjects({ now: () => new Date(clock.ms) });
  const database = createMemoryDatabase();
  const opened: string[] = [];
  const counted: ObjectStore = {
    ...objects,
    open: (key) => {
      opened.push(key);
      return objects.open(key);
    },
  };
  const open = () =>
    createFeedbackMeter({ database, objects: counted, index: createRecordIndex({ objects }), settleMs, now });
  const record = (...frames: Frame[]) => recordFrames(objects, frames, { now });
  return { clock, objects, opened, open, meter: open(), record };
}

const said = (requestId: string, json = '{}', more = {}) => feedback({ at: START, requestId, json, ...more });

test('new feedback is counted from a position, per model and version, also by another process', async () => {
  const { clock, meter, open, record } = scene();
  await record(said('old'));
  const { count, position } = await meter.countSince({ name: 'wine' }, undefined);
  expect(count).toBe(0);
  await record(said('a'), said('b'), said('c', '{}', { modelVersion: '2' }), said('x', '{}', { modelName: 'tea' }));
  clock.ms += 90 * MINUTE;
  await record(said('d'));
  expect(await meter.countSince({ name: 'wine' }, position)).toEqual({ count: 4, position: position + 4 });
  expect(await open().countSince({ name: 'wine', version: '2' }, 0)).toEqual({ count: 1, position: 1 });
  expect(await open().countSince({ name: 'wine' }, position + 4)).toEqual({ count: 0, position: position + 4 });
  clock.ms += 600 * MINUTE; // longer than uploads are remembered
  await record(said('e'));
  expect(await open().countSince({ name: 'wine' }, position)).toEqual({ count: 5, position: position + 5 });
});

test('a time counts what was uploaded since, and leads to a position', async () => {
  const { clock, meter, record } = scene();
  await record(said('before'));
  const created = new Date((clock.ms += 5_000));
  await record(said('a'), said('b'));
  const { count, position } = await meter.countSince({ name: 'wine' }, created);
  expect(count).toBe(2);
  await record(said('c'));
  expect((await meter.countSince({ name: 'wine' }, position - count)).count).toBe(3);
});

test('an upload into an earlier hour counts too', async () => {
  const { clock, meter, record } = scene();
  const { position } = await meter.countSince({ name: 'wine' }, undefined);
  clock.ms += 120 * MINUTE;
  await record(said('a'));
  expect((await meter.countSince({ name: 'wine' }, position)).count).toBe(1);
  clock.ms -= 120 * MINUTE;
  await record(said('from a gateway that was cut off'));
  clock.ms += 121 * MINUTE;
  expect((await meter.countSince({ name: 'wine' }, position)).count).toBe(2);
});

test('many who ask at once count nothing twice', async () => {
  const { open, record } = scene();
  const { position } = await open().countSince({ name: 'wine' }, undefined);
  for (let n = 0; n < 10; n += 1) {
    await record(said(`r${n}`));
    await Promise.all([1, 2, 3].map(() => open().countSince({ name: 'wine' }, position)));
  }
  expect((await open().countSince({ name: 'wine' }, position)).count).toBe(10);
});

const LABELS: DriftQuestion = {
  model: { name: 'wine' },
  windowMs: 60 * MINUTE,
  measure: 'classification-error',
  prediction: '/prediction/0',
  truth: '/label',
};
const answered = (requestId: string, label: unknown, more = {}) =>
  call({ at: START - MINUTE, requestId, response: JSON.stringify({ prediction: [label] }), ...more });

test('drift is the part of predictions that feedback calls wrong', async () => {
  const { meter, record } = scene();
  await record(answered('a', 1), answered('b', 0), answered('c', 'good'), answered('d', true), answered('e', 1));
  await record(said('a', '{"label":1}'), said('b', '{"label":1}'), said('c', '{"label":"good"}'));
  await record(said('d', '{"label":"true"}'), said('e', '{"other":1}'), said('absent', '{"label":1}'));
  await record(said('a', '{"label":1}', { modelName: 'tea' }));
  expect(await meter.drift(LABELS)).toEqual({ error: 0.25, samples: 4, orphaned: 1, dropped: 1 });
});

test('a mean absolute error takes numbers, single or in lists', async () => {
  const { meter, record } = scene();
  const question = { ...LABELS, measure: 'mean-absolute-error', prediction: '/prediction', truth: '/values' } as const;
  const reply = (prediction: unknown) => ({ response: JSON.stringify({ prediction }) });
  const at = START - MINUTE;
  await record(
    call({ at, requestId: 'two', ...reply([1, 2]) }),
    call({ at, requestId: 'one', ...reply([5]) }),
    call({ at, requestId: 'ragged', ...reply([5, 6]) }),
    call({ at, requestId: 'text', ...reply(['5']) }),
    call({ at, requestId: 'no json', response: '<html>' }),
  );
  await record(said('two', '{"values":[2,4]}'), said('one', '{"values":2}'));
  await record(said('ragged', '{"values":[1]}'), said('text', '{"values":[5]}'), said('no json', '{"values":[1]}'));
  expect(await meter.drift(question)).toEqual({ error: (1 + 2 + 3) / 3, samples: 3, orphaned: 0, dropped: 3 });
});

test('each look reads only what is new, and what leaves the window is forgotten', async () => {
  const { clock, meter, opened, record } = scene();
  await record(answered('a', 1), said('a', '{"label":0}'));
  expect(await meter.drift(LABELS)).toMatchObject({ error: 1, samples: 1 });
  opened.length = 0;
  expect(await meter.drift(LABELS)).toMatchObject({ error: 1, samples: 1 });
  expect(opened).toEqual([]);
  clock.ms += 30 * MINUTE;
  await record(answered('b', 1), feedback({ at: clock.ms, requestId: 'b', json: '{"label":1}' }));
  expect(await meter.drift(LABELS)).toMatchObject({ error: 0.5, samples: 2 });
  expect(opened).toHaveLength(2); // the new feedback, and the responses that it is about
  clock.ms += 45 * MINUTE;
  expect(await meter.drift(LABELS)).toMatchObject({ error: 0, samples: 1 });
  clock.ms += 60 * MINUTE;
  expect(await meter.drift(LABELS)).toEqual({ error: undefined, samples: 0, orphaned: 0, dropped: 0 });
});

test('the first feedback of a call counts, whether the next comes in the same upload or later', async () => {
  const { meter, record } = scene();
  await record(answered('a', 1), said('a', '{"label":0}'), said('a', '{"label":1}'));
  expect(await meter.drift(LABELS)).toMatchObject({ error: 1, samples: 1 });
  await record(said('a', '{"label":1}', { at: START + 2_000 }));
  expect(await meter.drift(LABELS)).toMatchObject({ error: 1, samples: 1 });
});

test('fresh uploads wait for those of other gateways', async () => {
  const { clock, meter, record } = scene({ settleMs: 2 * MINUTE });
  await record(said('a', '{"label":1}'));
  expect(await meter.drift(LABELS)).toMatchObject({ samples: 0, orphaned: 0 });
  clock.ms += MINUTE;
  await record(answered('a', 1)); // the call went through a gateway whose uploader is slower
  clock.ms += MINUTE + 1;
  expect(await meter.drift(LABELS)).toMatchObject({ error: 0, samples: 1, orphaned: 0 });
});

test('records that the bucket does not keep any more are no failure', async () => {
  const { meter, objects, record } = scene();
  await record(answered('a', 1), said('a', '{"label":1}'));
  await record(answered('b', 1, { modelVersion: '2' }), said('b', '{"label":1}', { modelVersion: '2' }));
  for await (const { key } of objects.list('response_body/wine/1/')) await objects.remove(key);
  for await (const { key } of objects.list('feedback/wine/2/')) await objects.remove(key);
  expect(await meter.drift(LABELS)).toEqual({ error: undefined, samples: 0, orphaned: 0, dropped: 1 });
});
