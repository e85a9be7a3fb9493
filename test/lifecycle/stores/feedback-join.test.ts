import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Frame } from '../../../gateway/frame.js';
import { joinFeedback, type JoinOptions } from '../../../lifecycle/stores/feedback-join.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { JoinedRow } from '../../../lifecycle/stores/partition-join.js';
import { call, feedback, recordFrames } from '../../gateway/recording.js';

const HOUR = 3_600_000;
const FROM = Date.UTC(2026, 10, 20, 8);
const WINDOW = { from: FROM, to: FROM + 24 * HOUR, asOf: FROM + 1_000 * HOUR, withinMs: 48 * HOUR };
const at = FROM + HOUR;
const said = (requestId: string, json = '{"label":1}', more = {}) =>
  feedback({ at: at + 5_000, requestId, json, ...more });

function scene() {
  const objects = createMemoryObjects();
  return {
    objects,
    record: (...frames: Frame[]) => recordFrames(objects, frames),
    /** A file of another writer. */
    write: (tag: string, lines: readonly string[], n = 7) =>
      objects.put(`${tag}/wine/1/year=2026/month=11/day=20/2026112009_${n}.json`, `${lines.join('\n')}\n`),
    join: async (changes: Partial<JoinOptions> = {}) => {
      const scratch = await mkdtemp(join(tmpdir(), 'slipway-join-'));
      const rows: JoinedRow[] = [];
      const signal = new AbortController().signal;
      const options = { objects, prefix: '', model: { name: 'wine' }, window: WINDOW, scratch, signal, ...changes };
      const { rows: joined, counts } = joinFeedback(options);
      for await (const row of joined) rows.push(row);
      await rm(scratch, { recursive: true });
      return { rows, counts, ids: rows.map(({ requestId }) => requestId).sort() };
    },
  };
}
const NOTHING = { joined: 0, orphaned: 0, unanswered: 0, late: 0, replaced: 0, dropped: 0 };

test('a call, its answer and its feedback are one row, digit by digit', async () => {
  const { record, join } = scene();
  const request = '{"columns":["a"],\r\n"data":[[12345678901234567890]]}';
  await record(call({ at, requestId: 'a', request, response: '{"prediction":[1.50]}' }));
  await record(said('a', '{"label": 98765432109876543210, "note":"\\u2028 <ok>"}'));
  expect((await join()).rows).toEqual([
    {
      requestId: 'a',
      modelName: 'wine',
      modelVersion: '1',
      at,
      feedbackAt: at + 5_000,
      status: 200,
      request: '{"columns":["a"], "data":[[12345678901234567890]]}',
      response: '{"prediction":[1.50]}',
      feedback: '{"label": 98765432109876543210, "note":"\\u2028 <ok>"}',
    },
  ]);
});

test('every record counts once, where it belongs', async () => {
  const { record, join } = scene();
  await record(call({ at, requestId: 'joined' }), call({ at, requestId: 'unanswered' }));
  await record(call({ at, requestId: 'failed', status: 500 }), call({ at: FROM - 1_000, requestId: 'before' }));
  await record(call({ at: WINDOW.to, requestId: 'after' }), call({ at, requestId: 'late' }));
  await record(said('joined'), said('failed'), said('absent'), said('before', '1', { at: FROM - 500 }));
  await record(said('after', '1', { at: WINDOW.to + 1_000 }), said('late', '1', { at: at + 48 * HOUR + 1_000 }));
  const { counts, ids } = await join();
  expect(ids).toEqual(['joined']);
  expect(counts).toEqual({ ...NOTHING, joined: 1, orphaned: 2, unanswered: 1, late: 1 });
});

test('feedback counts long after the window, but not past the moment at which the window was resolved', async () => {
  const { record, join } = scene();
  const last = WINDOW.to - 1_000;
  await record(call({ at: last, requestId: 'a' }), said('a', '1', { at: last + 48 * HOUR }));
  expect((await join()).counts).toEqual({ ...NOTHING, joined: 1 });
  const asOf = last + 47 * HOUR;
  expect((await join({ window: { ...WINDOW, asOf } })).counts).toEqual({ ...NOTHING, unanswered: 1 });
});

test('of several feedbacks the last counts, and what is stored twice counts once', async () => {
  const { record, objects, join } = scene();
  await record(call({ at, requestId: 'a' }), call({ at, requestId: 'b' }));
  await record(said('a', '2', { at: at + 9_000 }), said('b', '5'), said('b', '6'));
  await record(said('a', '1'));
  const before = await join();
  expect(before.rows.map((row) => [row.requestId, row.feedback]).sort()).toEqual([
    ['a', '2'],
    ['b', '6'],
  ]);
  expect(before.counts).toEqual({ ...NOTHING, joined: 2, replaced: 2 });
  const files: string[] = [];
  for await (const { key } of objects.list('')) if (key.endsWith('.json')) files.push(key);
  for (const key of files) await objects.put(key.replace(/_(\d+)\.json$/, '_9$1.json'), await objects.read(key));
  const { rows, counts } = await join();
  expect(rows).toEqual(before.rows);
  expect(counts).toEqual({ ...before.counts, replaced: 2 + 4 });
});

test('an id that is used again names its last call', async () => {
  const { record, join } = scene();
  await record(call({ at, requestId: 'a', response: '1' }), call({ at: at + HOUR, requestId: 'a', response: '2' }));
  await record(call({ at, requestId: 'b', response: '1' }), said('b'), call({ at: at + HOUR, requestId: 'b' }));
  await record(said('a', '9', { at: at + 2 * HOUR }));
  const { rows, counts } = await join();
  expect(rows).toMatchObject([{ requestId: 'a', at: at + HOUR, response: '2' }]);
  expect(counts).toEqual({ ...NOTHING, joined: 1, orphaned: 1, unanswered: 1 });
});

test('with a version only its records count, without one those of every version', async () => {
  const { record, join } = scene();
  for (const modelVersion of ['1', '1.1', '2', 'a/b']) {
    await record(call({ at, requestId: modelVersion, modelVersion }), said(modelVersion, '1', { modelVersion }));
  }
  await record(call({ at, requestId: 'other', modelName: 'wine2' }), said('other', '1', { modelName: 'wine2' }));
  expect((await join()).ids).toEqual(['1', '1.1', '2', 'a/b']);
  expect((await join({ model: { name: 'wine', version: '1' } })).ids).toEqual(['1']);
  expect((await join({ model: { name: 'absent' } })).counts).toEqual(NOTHING);
});

test('whatever the number of parts, equal records give equal rows in one order', async () => {
  const { record, join } = scene();
  const ids = Array.from({ length: 500 }, (_, n) => `id-${n}`);
  await record(...ids.map((requestId) => call({ at, requestId })));
  await record(...ids.slice(0, 300).map((requestId) => said(requestId)));
  const whole = await join();
  const parts = await join({ partBytes: 2_000 });
  expect(whole.counts).toEqual({ ...NOTHING, joined: 300, unanswered: 200 });
  expect(parts).toEqual(whole);
});

test('bodies: text of another type is a JSON string, what was cut or is broken is dropped', async () => {
  const { record, join } = scene();
  const csv = { requestHeaders: { 'Content-Type': 'text/csv' } };
  await record(call({ at, requestId: 'csv', request: 'a,b\n1,"2"\n', ...csv }), said('csv'));
  await record(call({ at, requestId: 'broken', request: '{"a":' }), said('broken'));
  const cut = 'x'.repeat(1024 ** 2);
  await record(call({ at, requestId: 'cut', request: cut, ...csv }), said('cut'));
  const { rows, counts } = await join();
  expect(rows.map(({ request }) => JSON.parse(request))).toEqual(['a,b\n1,"2"\n']);
  expect(counts).toEqual({ ...NOTHING, joined: 1, dropped: 2 });
});

test('lines that are no records are counted, and hold up nothing', async () => {
  const { record, write, join } = scene();
  await record(call({ at, requestId: 'a' }), said('a'));
  const time = '"time":"2026-11-20 09:30:00 +0000"';
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  await write('feedback', [
    'no json',
    '[1]',
    'null',
    '',
    '{"request_id":7}',
    `{"request_id":"x",${time}}`,
    `{"request_id":"x","payload":{"json":1},"time":"yesterday"}`,
    `{"request_id":"x","payload":{"json":1},"time":"2026-99-20 09:30:00 +0000"}`,
    `{"request_id":"x","payload":[],${time}}`,
    `{"request_id":"__proto__","payload":{"json":{"__proto__":{"polluted":true}}},${time}}`,
    `{"request_id":"deep","payload":{"json":${deep}},${time}}`,
    `{"request_id":"payload","payload":{"json":"},\\"payload\\":{\\"json\\":1}"},${time}}`,
  ]);
  await write('request_response', ['{"request_id":"a"}', `{"request_id":"a",${time}}`]);
  await write('response_body', [`{"request_id":"a",${time}}`, '\u0000']);
  const { ids, counts } = await join();
  expect(ids).toEqual(['a']);
  expect(counts).toEqual({ ...NOTHING, joined: 1, orphaned: 3, dropped: 9 + 4 });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('a line that is longer than any record is dropped, and what follows is read', async () => {
  const { record, write, join } = scene();
  await record(call({ at, requestId: 'a' }));
  const time = '2026-11-20 09:30:00 +0000';
  const line = (id: string, json: unknown) => JSON.stringify({ request_id: id, payload: { json }, time });
  await write('feedback', [line('a', 'x'.repeat(17 * 2 ** 20)), line('a', 1)]);
  expect((await join()).counts).toEqual({ ...NOTHING, joined: 1, dropped: 1 });
});

test('any feedback that the gateway takes is joined as it came', async () => {
  const { record, join } = scene();
  const payloads = ['0', '-1e400', '""', '"\\ud800"', '[]', '{}', '{"":{"":[]}}', '{"a":1,"a":2}', 'null', '  [ 1 ]  '];
  for (const [n, json] of payloads.entries()) await record(call({ at, requestId: `${n}` }), said(`${n}`, json));
  const { rows } = await join();
  const byId = new Map(rows.map(({ requestId, feedback: json }) => [requestId, json]));
  expect(payloads.map((_, n) => byId.get(`${n}`))).toEqual(payloads.map((json) => json.trim()));
});

test('a join that is called off ends', async () => {
  const { record, join } = scene();
  await record(call({ at, requestId: 'a' }), said('a'));
  await expect(join({ signal: AbortSignal.abort(new Error('called off')) })).rejects.toThrow('called off');
});
