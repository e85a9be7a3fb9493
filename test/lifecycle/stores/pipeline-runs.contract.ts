import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import type { Trigger } from '../../../lifecycle/kinds/pipeline-trigger.js';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import type { Database } from '../../../platform/stores/database.js';
import { createPipelineRuns } from '../../../lifecycle/stores/pipeline-runs.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { newPipeline } from '../../activities/shared/resources.js';
import { without } from '../../platform/stores/faults.js';

const AT = '2026-03-01T00:00:00.000Z';
const api = (more: Partial<Trigger> = {}): { trigger: Trigger } => ({ trigger: { type: 'api', at: AT, ...more } });

/** Tests that every store of pipeline runs has to pass, with any database. */
export function pipelineRunsContract(open: () => Promise<Database>): void {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  function createStores(on: Database = database, now = () => new Date(AT)) {
    const pipelines = createResources<Pipeline>({ database: on, kind: 'ModelPipeline' });
    const pipelineRuns = createResources<PipelineRun>({ database: on, kind: 'PipelineRun' });
    const store = createPipelineRuns({ pipelines, pipelineRuns, now, newId: randomUUID });
    const end = (id: string, state: 'succeeded' | 'failed' = 'succeeded') =>
      pipelineRuns.update(id, (run) => ({ ...run, status: { ...run.status, state } }));
    return { pipelines, pipelineRuns, store, end };
  }
  async function createPipeline(spec: object = {}): Promise<string> {
    const id = `p-${randomUUID().slice(0, 8)}`;
    await createStores().pipelines.insert(newPipeline(id, spec));
    return id;
  }

  test('runs are numbered from 1 and hold the pipeline as it was', async () => {
    const { store, end, pipelines } = createStores();
    const id = await createPipeline({ parameters: { a: '1', b: '2' }, version: '1.{{ run }}' });
    const first = await store.open(id, api({ by: 'bob' }));
    expect(first).toMatchObject({
      ...{ kind: 'PipelineRun', id: `${id}-1`, generation: 1, createdBy: 'bob', createdAt: AT },
      spec: { pipeline: id, number: 1, parameters: { a: '1', b: '2' }, version: '1.{{ run }}', noCache: false },
      status: { state: 'unknown', steps: [], gates: [] },
    });
    await end(first.id, 'failed');
    await pipelines.update(id, (current) => ({ ...current, spec: { ...current.spec, noCache: true } }));
    const second = await store.open(id, { ...api(), parameters: { b: '3' }, version: '7' });
    expect(second).toMatchObject({
      id: `${id}-2`,
      createdBy: 'ada',
      spec: { number: 2, parameters: { a: '1', b: '3' }, version: '7', noCache: true },
    });
    expect((await store.get(id, 1))?.spec.template.noCache).toBe(false);
    expect((await store.newest(id)).pipeline.status.lastRun).toBe(2);
    expect((await store.newest(id)).run?.id).toBe(second.id);
  });

  test('a run that goes on keeps the next one out', async () => {
    const { store, end } = createStores();
    const id = await createPipeline();
    await store.open(id, api());
    await expect(store.open(id, api())).rejects.toMatchObject({
      code: 'not_finished',
      message: `run ${id}-1 of the pipeline has not finished yet; wait for its end or cancel it`,
    });
    await end(`${id}-1`);
    expect((await store.open(id, api())).id).toBe(`${id}-2`);
  });

  test('of many who open at once, one wins', async () => {
    const { store, end } = createStores();
    const id = await createPipeline();
    for (const number of [1, 2, 3]) {
      const opened = await Promise.allSettled(Array.from({ length: 8 }, () => createStores().store.open(id, api())));
      const won = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value.id] : []));
      expect(won).toEqual([`${id}-${number}`]);
      for (const each of opened) {
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'not_finished' });
      }
      await end(`${id}-${number}`);
    }
    expect((await store.newest(id)).pipeline.status.lastRun).toBe(3);
  });

  test('the same key is the same run, for a day', async () => {
    const { store, end } = createStores();
    const id = await createPipeline();
    const opened = await Promise.all(
      Array.from({ length: 8 }, () => createStores().store.open(id, api({ key: 'once' }))),
    );
    expect(new Set(opened.map(({ uid }) => uid)).size).toBe(1);
    await end(`${id}-1`);
    expect((await store.open(id, api({ key: 'once' }))).id).toBe(`${id}-1`);
    expect((await store.open(id, api({ key: 'twice' }))).id).toBe(`${id}-2`);
    await end(`${id}-2`);
    const tomorrow = createStores(database, () => new Date('2026-03-02T00:00:01.000Z'));
    expect((await tomorrow.store.open(id, api({ key: 'twice' }))).id).toBe(`${id}-3`);
  });

  test('a process that dies between a run and its pipeline leaves a run that everybody finds', async () => {
    const { store, pipelines } = createStores();
    const id = await createPipeline();
    const dying = createStores(without(database, 'ModelPipelineLog', 'insert'));
    const trigger = { key: 'k', type: 'feedback', position: '41' } as const;
    await expect(dying.store.open(id, api(trigger))).rejects.toThrow('the process died here');
    expect((await pipelines.get(id))?.status.lastRun).toBe(0);
    expect((await store.open(id, api(trigger))).id).toBe(`${id}-1`);
    await expect(store.open(id, api())).rejects.toMatchObject({ code: 'not_finished' });
    expect((await pipelines.get(id))?.status).toEqual({ lastRun: 1, positions: { feedback: '41' } });
  });

  test('a process that dies before the run leaves nothing', async () => {
    const id = await createPipeline();
    const dying = createStores(without(database, 'PipelineRunLog', 'insert'));
    await expect(dying.store.open(id, api())).rejects.toThrow('the process died here');
    expect((await createStores().store.open(id, api())).id).toBe(`${id}-1`);
  });

  test('positions of triggers come with their runs, and others stay', async () => {
    const { store, end, pipelines } = createStores();
    const id = await createPipeline();
    await store.open(id, api({ type: 'data', position: 'aa' }));
    await end(`${id}-1`);
    await pipelines.update(id, (current) => ({
      ...current,
      status: { ...current.status, paused: { by: 'ann', at: AT, note: '' } },
    }));
    await store.open(id, api({ type: 'feedback', position: '9' }));
    expect((await pipelines.get(id))?.status).toEqual({
      lastRun: 2,
      positions: { data: 'aa', feedback: '9' },
      paused: { by: 'ann', at: AT, note: '' },
    });
  });

  test('a pipeline that is not there has no runs', async () => {
    const { store } = createStores();
    await expect(store.open('missing', api())).rejects.toMatchObject({ code: 'not_found' });
    await expect(store.newest('missing')).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.get('missing', 1)).toBeUndefined();
  });

  test('a run whose pipeline was removed at the same moment is withdrawn', async () => {
    const { pipelines, pipelineRuns } = createStores();
    const id = await createPipeline();
    const newId = () => {
      removed = pipelines.remove(id);
      return randomUUID();
    };
    let removed: Promise<unknown> = Promise.resolve();
    // Removed when the run is made, before it is stored.
    const slow = { ...pipelineRuns, insert: async (run: PipelineRun) => (await removed, pipelineRuns.insert(run)) };
    const store = createPipelineRuns({ pipelines, pipelineRuns: slow, now: () => new Date(AT), newId });
    await expect(store.open(id, api())).rejects.toMatchObject({ code: 'not_found' });
    expect(await pipelineRuns.get(`${id}-1`)).toBeUndefined();
  });

  test('a pipeline that was created again continues with its previous numbers', async () => {
    const { store, end, pipelines } = createStores();
    const id = await createPipeline();
    for (const number of [1, 2, 3]) {
      await store.open(id, api({ type: 'feedback', position: String(number) }));
      await end(`${id}-${number}`);
    }
    await pipelines.remove(id);
    await pipelines.insert(newPipeline(id));
    expect((await store.open(id, api())).id).toBe(`${id}-4`);
    expect((await pipelines.get(id))?.status).toEqual({ lastRun: 4, positions: { feedback: '3' } });
  });
}
