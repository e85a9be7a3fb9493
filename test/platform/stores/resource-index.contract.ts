import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createResources } from '../../../notifications/stores/resources.js';
import type { Resource } from '../../../platform/kinds/resource.js';
import type { Database } from '../../../platform/stores/database.js';
import type { ListCondition, ResourceIndex } from '../../../platform/stores/resource-index.js';

export type Listed = Resource<{ toolchain: string; model: { name: string; version: string } }, Status>;
interface Status {
  state: string;
  transitions: object[];
  artifacts: object[];
}

export const listed = (id: string, { toolchain = 'mlflow', version = '1', state = 'unknown' } = {}): Listed => ({
  ...{ kind: 'ModelTraining', id, uid: randomUUID(), generation: 1, revision: 0, createdBy: 'ana', updatedBy: 'ana' },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  spec: { toolchain, model: { name: 'wine', version } },
  status: inState(state),
});
const inState = (state: string): Status => ({ state, transitions: [], artifacts: [] });

/** A process of its own: it shares nothing with another one but the database. */
export const storeOn = (database: Database, now?: () => Date) =>
  createResources<Listed>({ database, kind: 'ModelTraining', ...(now && { now }) });

export interface OpenIndex {
  database: Database;
  index: ResourceIndex<Listed>;
  close: () => Promise<void>;
}

const STATES = ['unknown', 'running', 'failed'] as const;

/** The contract of every index of resources; each test stores trainings of its own model. */
export function resourceIndexContract(open: () => Promise<OpenIndex>): void {
  let opened: OpenIndex;
  beforeAll(async () => (opened = await open()));
  afterAll(() => opened.close());

  const store = () => storeOn(opened.database);
  /** Stores trainings of a model that no other test has. */
  async function given(...trainings: Listed[]): Promise<ListCondition> {
    const name = randomUUID();
    for (const { spec, ...rest } of trainings) {
      await store().insert({ ...rest, spec: { ...spec, model: { ...spec.model, name } } });
    }
    return { field: 'spec.model.name', in: [name] };
  }
  const ids = async (where: readonly ListCondition[], { skip = 0, limit = 100 } = {}) =>
    (await opened.index.page({ where, skip, limit })).items.map(({ id }) => id);

  test('pages are in the order of ids, each with the number of all matches', async () => {
    const own = await given(...['pages-c', 'pages-a', 'pages-d', 'pages-b', 'pages'].map((id) => listed(id)));
    const page = (skip: number, limit: number) => opened.index.page({ where: [own], skip, limit });
    const shown = async (skip: number, limit: number) => {
      const { items, total } = await page(skip, limit);
      return [items.map(({ id }) => id), total];
    };
    expect(await shown(0, 2)).toEqual([['pages', 'pages-a'], 5]);
    expect(await shown(2, 2)).toEqual([['pages-b', 'pages-c'], 5]);
    expect(await shown(4, 2)).toEqual([['pages-d'], 5]);
    expect(await shown(5, 2)).toEqual([[], 5]);
    expect(await shown(Number.MAX_SAFE_INTEGER, 2)).toEqual([[], 5]);
    expect(await shown(0, 0)).toEqual([[], 5]);
  });

  test('a page holds the whole resources', async () => {
    const own = await given(listed('whole'));
    const { items } = await opened.index.page({ where: [own], skip: 0, limit: 10 });
    expect(items).toEqual([await store().get('whole')]);
  });

  test('without a condition all resources of the kind are listed, and no removed one', async () => {
    await given(listed('all-a'), listed('all-b'));
    await store().remove('all-a');
    const all = (await store().list()).map(({ id }) => id);
    expect(all).toContain('all-b');
    const { total } = await opened.index.page({ where: [], skip: 0, limit: 1 });
    expect([await ids([], { limit: 10_000 }), total]).toEqual([all, all.length]);
  });

  test('a condition holds for any of its values, and all conditions hold together', async () => {
    const own = await given(
      listed('filter-a', { toolchain: 'x', state: 'running' }),
      listed('filter-b', { toolchain: 'y', state: 'running' }),
      listed('filter-c', { toolchain: 'z', state: 'failed' }),
      listed('filter-d', { toolchain: 'x', state: 'failed' }),
    );
    const toolchain = (...values: string[]): ListCondition => ({ field: 'spec.toolchain', in: values });
    const running: ListCondition = { field: 'status.state', in: ['running'] };
    expect(await ids([own, toolchain('x', 'z')])).toEqual(['filter-a', 'filter-c', 'filter-d']);
    expect(await ids([own, toolchain('x', 'z'), running])).toEqual(['filter-a']);
    expect(await ids([own, toolchain('x', 'z'), toolchain('z', 'y')])).toEqual(['filter-c']);
    expect(await ids([own, toolchain('absent')])).toEqual([]);
    expect(await ids([own, toolchain()])).toEqual([]);
  });

  test('values are compared as they are, whatever they hold', async () => {
    const own = await given(
      listed('odd-a', { version: '$1.0' }),
      listed('odd-b', { version: '' }),
      listed('odd-c', { version: 'ünï.*' }),
    );
    const version = (text: string): ListCondition => ({ field: 'spec.model.version', in: [text] });
    expect(await ids([own, version('$1.0')])).toEqual(['odd-a']);
    expect(await ids([own, version('')])).toEqual(['odd-b']);
    expect(await ids([own, version('ünï.*')])).toEqual(['odd-c']);
    expect(await ids([own, version('.*')])).toEqual([]);
  });

  test('an acknowledged write of any process is in the next page', async () => {
    const own = await given(listed('seen-a'), listed('seen-b'));
    const [one, other] = [store(), store()];
    const failed: ListCondition = { field: 'status.state', in: ['failed'] };
    for (const [at, writer] of [one, other, one].entries()) {
      const state = STATES[at] ?? '';
      await writer.update('seen-a', (current) => ({ ...current, status: inState(state) }));
      expect(await ids([own, { field: 'status.state', in: [state] }])).toContain('seen-a');
    }
    expect(await ids([own, failed])).toEqual(['seen-a']);
    await other.remove('seen-a');
    expect(await ids([own])).toEqual(['seen-b']);
    const { spec } = (await one.get('seen-b')) ?? listed('');
    await one.insert({ ...listed('seen-a'), spec });
    expect(await ids([own])).toEqual(['seen-a', 'seen-b']);
    expect(await ids([own, failed])).toEqual([]);
  });

  test('after many concurrent writes, each page is that of the whole list', async () => {
    const own = await given(...Array.from({ length: 12 }, (_, at) => listed(`many-${at}`)));
    const writers = Array.from({ length: 4 }, () => store());
    await Promise.all(
      writers.map(async (writer, offset) => {
        for (let round = 0; round < 6; round += 1) {
          const state = STATES[(round + offset) % STATES.length] ?? '';
          const id = `many-${(round * 5 + offset) % 12}`;
          await writer.update(id, (current) => ({ ...current, status: inState(state) }));
        }
      }),
    );
    const all = (await store().list()).filter(({ spec }) => spec.model.name === own.in[0]);
    for (const state of STATES) {
      const expected = all.filter(({ status }) => status.state === state).map(({ id }) => id);
      const where: ListCondition[] = [own, { field: 'status.state', in: [state] }];
      expect(await ids(where)).toEqual(expected);
      expect(await ids(where, { skip: 1, limit: 2 })).toEqual(expected.slice(1, 3));
    }
  });
}
