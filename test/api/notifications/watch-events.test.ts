import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../e2e/until.js';
import { startTestIssuer } from '../test-issuer.js';
import { startTestReference, type TestReference } from '../reference/test-reference.js';

const DAY_MS = 86_400_000;
let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
let api: TestReference;
beforeAll(async () => {
  issuer = await startTestIssuer();
});
afterAll(() => issuer.stop());
beforeEach(async () => {
  await api?.stop();
  api = await startTestReference({ issuer });
});
afterAll(() => api.stop());

let events = 0;
/** Something that happened to a resource, as whoever stores it says. @returns when, by the stream */
async function happens(type: string, id: string, more: object = {}): Promise<string> {
  const { events: stream } = api.watching;
  events += 1;
  await stream.publish({
    ...{ key: `${type}/${id}/${events}`, type, source: '/api/v1/model', subject: `${type.split('.')[1]}/${id}` },
    ...{ version: events, at: new Date().toISOString(), data: JSON.stringify({ id, version: events, ...more }) },
  });
  return (await stream.read(await stream.end()))?.at ?? '';
}
const ends = (pipeline: string, word = 'succeeded') => happens(`pipeline.run.${word}`, `${pipeline}-1`, { pipeline });

const scope = { stream: 'pipeline', types: ['pipeline.run.succeeded'] };
async function create(more: object = {}): Promise<string> {
  const { body, status } = await api.call('POST', '/v2/watches', {
    body: { name: 'runs', scope, period: 'P1D', grace: 'PT1H', ...more },
  });
  expect(status).toBe(201);
  // The next event is later than the creation, with any resolution of the clock.
  await until('the next millisecond', async () => Date.now() > Date.parse(body.created_at));
  return body.id;
}
const explain = async (watch: string, entity?: string) =>
  (
    await api.call(
      'GET',
      `/v2/watches/${watch}/explain${entity === undefined ? '' : `?entity=${encodeURIComponent(entity)}`}`,
    )
  ).body;
const after = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

/** As its evaluator tells it. */
const tell = (watch: string, entity: string, gap: number) =>
  api.watching.gapEvents.stream.publish({
    ...{ key: `watch/${watch}/${entity}/${gap}/absent`, type: 'watch.absent', source: `/v2/watches/${watch}` },
    ...{ subject: `${watch}/${entity}`, version: gap, at: new Date().toISOString(), data: '{}' },
  });

test('explain gives the state of each pipeline, by its own events', async () => {
  const id = await create();
  await ends('wine');
  const since = await ends('wine'); // position 2
  await ends('beer', 'failed');
  const at = await ends('wine', 'failed');
  expect(await explain(id, 'pipeline/wine')).toEqual({
    watch: id,
    entity_id: 'pipeline/wine',
    log_at: at,
    state: 'armed',
    why: 'the period goes on',
    gap_id: `${id}/pipeline/wine/2`,
    gap_version: 2,
    last_changed_at: since,
    deadline: after(since, DAY_MS),
    absent_at: after(since, DAY_MS + 3_600_000),
    // language: `told` is a field of the wire format
    told: [],
  });
  await tell(id, 'pipeline/wine', 2);
  // language: `told` is a field of the wire format
  expect(await explain(id, 'pipeline/wine')).toMatchObject({ state: 'absent', told: ['absent'] });
  await ends('wine');
  // language: `told` is a field of the wire format
  expect(await explain(id, 'pipeline/wine')).toMatchObject({ state: 'armed', gap_version: 5, told: [] });
  expect(await explain(id, 'pipeline/beer')).toMatchObject({ state: 'out' });
  expect(await explain(id)).toMatchObject({ code: 'parameter.invalid', parameter: 'entity' });
});

test('what is watched from the creation on has its gap from there, or from its first event, until it is deleted', async () => {
  await happens('pipeline.definition.created', 'old');
  const id = await create({ arm_at: 'creation' });
  const { created_at: created } = (await api.call('GET', `/v2/watches/${id}`)).body;
  const begun = await happens('pipeline.definition.created', 'wine'); // position 2
  expect(await explain(id, 'pipeline/old')).toMatchObject({ state: 'armed', gap_version: 0, last_changed_at: created });
  expect(await explain(id, 'pipeline/wine')).toMatchObject({
    state: 'armed',
    gap_version: 2,
    deadline: after(begun, DAY_MS),
  });
  await happens('pipeline.definition.deleted', 'wine');
  expect(await explain(id, 'pipeline/wine')).toMatchObject({ state: 'out', why: 'it was deleted' });
  const waits = await create({ arm_at: 'first_change' });
  await ends('wine');
  expect(await explain(waits, 'pipeline/wine')).toMatchObject({ state: 'armed', gap_version: 4 });
  expect(await explain(await create({ arm_at: 'first_change' }), 'pipeline/wine')).toMatchObject({ state: 'waiting' });
});

test('a watch of a whole set needs no entity name, and a value of a field is named by it', async () => {
  const set = await create({ each: 'set', scope: { ...scope, filter: 'pipeline == wine' } });
  expect(await explain(set)).toMatchObject({ entity_id: 'set', state: 'waiting', log_at: null });
  await ends('wine');
  await ends('beer');
  expect(await explain(set)).toMatchObject({ state: 'armed', gap_id: `${set}/set/1` });
  expect(await explain(set, 'set')).toMatchObject({ state: 'armed' });
  expect(await explain(set, 'pipeline/wine')).toMatchObject({ code: 'parameter.invalid', parameter: 'entity' });
  const byModel = await create({ scope: { ...scope, types: ['pipeline.training.succeeded'], by: 'model_name' } });
  await happens('pipeline.training.succeeded', 'wine-3', { model_name: 'wine' });
  expect(await explain(byModel, 'model_name/wine')).toMatchObject({ state: 'armed', gap_version: 3 });
});

test('a gap of a watch that never rearms is over with the next event, however long ago it was emitted', async () => {
  const id = await create({ rearm: { mode: 'never' } });
  await ends('wine');
  await tell(id, 'pipeline/wine', 1);
  expect(await explain(id, 'pipeline/wine')).toMatchObject({ state: 'absent' });
  await ends('wine');
  await ends('wine');
  expect(await explain(id, 'pipeline/wine')).toMatchObject({ state: 'over', gap_version: 3 });
});

test('what events are about counts among the million that may be watched', async () => {
  const id = await create();
  const evaluation = { state: 'watching' as const, position: 1, log_at: null, next_due_at: null };
  const holds = (armed: number) =>
    api.watching.states.put(id, { ...evaluation, armed, updated_at: new Date().toISOString() });
  const asked = (more: object = {}) =>
    api.call('POST', '/v2/watches', { body: { name: 'more', scope, period: 'P1D', ...more } });
  await ends('wine');
  await ends('beer');
  await ends('wine');
  await holds(999_999);
  expect((await asked()).body).toMatchObject({
    code: 'watch.too_many',
    detail: expect.stringContaining('scope has 2'),
  });
  expect((await asked({ scope: { ...scope, filter: 'pipeline == wine' } })).status).toBe(201);
  expect((await asked({ each: 'set' })).status).toBe(201);
  await holds(999_998);
  expect((await asked()).status).toBe(201);
});
