import { expect, test } from 'vitest';
import { scheduleSkipped, scheduleStarted } from '../../../notifications/events/schedule-events.js';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import { AT, dataOf, emitted, PRIVATE, problemsOf, read, resource } from './writes.js';

const PAUSED = { by: 'ana', at: AT, note: 'until the data are mended' };
const pipeline = (status: object = {}, more: object = {}) =>
  resource(
    'ModelPipeline',
    { lastRun: 2, positions: { data: PRIVATE }, ...status },
    { notify: [{ url: `https://hook.example/${PRIVATE}` }], triggers: { webhook: { secretVersion: 1 } } },
    { id: 'wine', ...more },
  );

test('a pipeline that is created or deleted is named by the event, with its generation', () => {
  const events = [emitted([undefined, pipeline()]), emitted([pipeline(), undefined])];
  expect(events.map((event) => [event?.type, event?.subject])).toEqual([
    ['pipeline.definition.created', 'pipeline/wine'],
    ['pipeline.definition.deleted', 'pipeline/wine'],
  ]);
  for (const event of events) {
    expect(dataOf(event)).toEqual({ kind: 'ModelPipeline', id: 'wine', version: 5, generation: 2, pipeline: 'wine' });
  }
});

test.each([
  ['a new generation', pipeline(), pipeline({}, { generation: 3 }), undefined],
  ['a new run', pipeline(), pipeline({ lastRun: 3 }), undefined],
  ['a pause', pipeline(), pipeline({ paused: PAUSED }), 'paused'],
  ['a resume', pipeline({ paused: PAUSED }), pipeline(), 'resumed'],
  ['another note while it is paused', pipeline({ paused: PAUSED }), pipeline({ paused: { ...PAUSED, note: 'x' } })],
  ['a pause with a change of settings', pipeline(), pipeline({ paused: PAUSED }, { generation: 3 }), 'paused'],
])('%s', (_, before, after, word?: string) => {
  expect(emitted([before, after])?.type).toBe(word && `pipeline.schedule.${word}`);
});

test.each([
  ['a note', PAUSED, { by: 'ana', note: PAUSED.note }],
  ['an empty note', { ...PAUSED, note: '' }, { by: 'ana', note: '' }],
  ['signs of any script', { ...PAUSED, by: 'Zoë 李', note: '"\\\u0001🍷' }, { by: 'Zoë 李', note: '"\\\u0001🍷' }],
])('a pause says by whom, with %s', (_, paused, expected) => {
  const event = emitted([pipeline(), pipeline({ paused })]);
  expect(dataOf(event)).toEqual({ kind: 'ModelPipeline', id: 'wine', version: 5, ...expected });
  expect(problemsOf('pipeline.schedule.paused', dataOf(event))).toEqual([]);
});

test('a resume has no member of the pause before it', () => {
  const event = emitted([pipeline({ paused: PAUSED }), pipeline()]);
  expect(dataOf(event)).toEqual({ kind: 'ModelPipeline', id: 'wine', version: 5 });
});

test('a run that a schedule made has the run as its version: the pipeline was not written', () => {
  const run = { id: 'wine-3', spec: { pipeline: 'wine' } } as PipelineRun;
  const event = scheduleStarted(run);
  expect(event).toMatchObject({ subject: 'schedule/wine', version: 'wine-3' });
  expect(event.data).toEqual({ kind: 'ModelPipeline', id: 'wine', run: 'wine-3' });
  // The revision of the run does not matter: the log may be read at any later one.
  const created = (revision: number) => {
    const spec = { pipeline: 'wine', trigger: { type: 'schedule' } };
    const write = emitted([undefined, resource('PipelineRun', { state: 'unknown', steps: [] }, spec)], revision);
    return write && read(write).id;
  };
  expect(created(1)).toBe(created(2));
});

test('each turn without a run has an event of its own, and a repeat of the turn has the same', () => {
  const skipped = (key: string) => scheduleSkipped('wine', { key, at: AT, note: 'run wine-2 goes on' });
  const [first, repeat, next] = [skipped('turn-1'), skipped('turn-1'), skipped('turn-2')];
  expect(repeat).toEqual(first);
  expect(read(repeat, 99).id).toBe(read(first).id);
  expect([next.key === first.key, read(next).id === read(first).id]).toEqual([false, false]);
  expect(JSON.parse(first.data)).toEqual({ kind: 'ModelPipeline', id: 'wine', note: 'run wine-2 goes on' });
});

test('a long note is cut', () => {
  const { data } = scheduleSkipped('wine', { key: 'k', at: AT, note: 'é'.repeat(9_000) });
  expect(JSON.parse(data).note).toBe('é'.repeat(4_000));
  expect(problemsOf('pipeline.schedule.run_skipped', JSON.parse(data))).toEqual([]);
});
