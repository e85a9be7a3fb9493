import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DatasetSpec } from '../../../reference/dataset/dataset.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { createDatasets, type Datasets } from '../../../reference/stores/datasets.js';
import { createDeclarations } from '../../../reference/stores/declarations.js';
import { createRowWrites } from '../../../reference/stores/row-writes.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createMemoryObjects } from '../../../platform/stores/memory-objects.js';
import type { SnapshotPolicy } from '../../../reference/stores/snapshot-keeper.js';
import { createSnapshots } from '../../../reference/stores/snapshots.js';

const SPEC = DatasetSpec.parse({ fields: { word: { type: 'text' } }, lookup: { fields: ['word'] } });
/** Due at every look. */
const AT_ONCE: SnapshotPolicy = { changes: 1, pauseMs: 0, jitterMs: 0, logMs: 0 };
/** Datasets look once a second. */
const PATIENCE_MS = 120_000;

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function createWorld() {
  const database = createMemoryDatabase();
  const objects = createMemoryObjects();
  async function newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-snapshots-'));
    ending.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }
  const folder = await newFolder();

  async function open({ policy, at = folder, store = objects, data = database }: Opened = {}) {
    const errors: unknown[] = [];
    const datasets = createDatasets({
      database: data,
      indexed: true,
      snapshots: createSnapshots({ objects: store, folder: at, kept: 3 }),
      onError: (err) => void errors.push(err),
      ...(policy && { snapshotPolicy: policy }),
    });
    ending.push(() => datasets.stop());
    await datasets.start();
    const writes = createRowWrites({ datasets });
    const write = (id: number, word: string) =>
      writes.put({ dataset: 'words', id: BigInt(id), actor: 'test' }, { word });
    return { datasets, errors, write };
  }
  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of objects.list('snapshots/words/')) found.push(key);
    return found;
  };
  return { database, objects, folder, newFolder, open, keys };
}
interface Opened {
  policy?: SnapshotPolicy;
  at?: string;
  store?: ReturnType<typeof createMemoryObjects>;
  data?: ReturnType<typeof createMemoryDatabase>;
}

async function until<T>(look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await new Promise((done) => setTimeout(done, 20))) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error('in vain');
  }
}

/** Loaded, however long it takes. */
const words = (datasets: Datasets) =>
  until(() => {
    try {
      const { replica } = datasets.get('words').dataset;
      const { rows } = replica;
      return Array.from({ length: rows.end() }, (_, row) => row)
        .filter((row) => rows.isAt(row, replica.visible))
        .map((row) => JSON.parse(rows.bytes(row).toString()).word as string)
        .sort();
    } catch (err) {
      if (err instanceof SlipwayError && err.code === 'replica.loading') return undefined;
      throw err;
    }
  });

async function fill(world: Awaited<ReturnType<typeof createWorld>>, policy?: SnapshotPolicy) {
  const process = await world.open({ ...(policy && { policy }) });
  const { datasets, write } = process;
  await createDeclarations({ datasets }).declare({ name: 'words', spec: SPEC, actor: 'test', force: false });
  for (const n of [1, 2, 3]) await write(n, `first ${n}`);
  await write(2, 'second 2');
  return process;
}

test('a start reads the newest snapshot and the entries after it, and no others', async () => {
  const world = await createWorld();
  const first = await fill(world, AT_ONCE);
  const positionOf = (key = ''): number => Number(/\/(\d+)\./.exec(key)?.[1]);
  await until(async () => positionOf((await world.keys()).at(-1)) > 3);
  await first.datasets.stop();

  const reads: string[] = [];
  const watched = {
    ...world.database,
    table: ((name: string) => {
      const table = world.database.table(name);
      return {
        ...table,
        get: (id: string) => {
          reads.push(id);
          return table.get(id);
        },
      };
    }) as typeof world.database.table,
  };
  const second = await world.open({ data: watched });
  expect(await words(second.datasets)).toEqual(['first 1', 'first 3', 'second 2']);
  expect(reads).not.toContain('words#1');
  // Rows of an earlier version are in it too.
  const { rows } = second.datasets.get('words').dataset.replica;
  expect(rows.bytes(rows.findAt(2n, 4)).toString()).toContain('first 2');
  expect(await second.write(4, 'next')).toMatchObject({ change: { version: 1 } });
});

test('another machine takes it from object storage; a damaged file is replaced from there', async () => {
  const world = await createWorld();
  await fill(world, AT_ONCE);
  await until(async () => (await world.keys()).length > 0);
  const at = await world.newFolder();
  expect(await words((await world.open({ at })).datasets)).toEqual(['first 1', 'first 3', 'second 2']);

  const [name = ''] = await readdir(join(at, 'words'));
  const file = join(at, 'words', name);
  const good = await readFile(file);
  const bad = Buffer.from(good);
  bad[20] = (bad[20] ?? 0) ^ 0xff;
  await writeFile(file, bad);
  const again = await world.open({ at });
  expect(await words(again.datasets)).toEqual(['first 1', 'first 3', 'second 2']);
  expect((await readFile(file)).equals(good)).toBe(true);
});

test('the lookup index beside a snapshot is brought up to date; a damaged or missing one is rebuilt', async () => {
  const world = await createWorld();
  const first = await fill(world, AT_ONCE);
  await until(async () => (await world.keys()).length > 0);
  await first.datasets.stop();
  const folder = join(world.folder, 'words');
  const name = (await readdir(folder)).sort().findLast((each) => each.endsWith('.lookup')) ?? '';
  const writer = await world.open();
  await words(writer.datasets);
  await writer.write(1, 'first again');
  await writer.write(7, 'first of all');
  await writer.datasets.stop();

  const found = async () => {
    const { datasets } = await world.open();
    await words(datasets);
    const { replica, index } = datasets.get('words').dataset;
    const accept = (row: number) => replica.rows.isAt(row, replica.visible);
    return index?.built?.lookup?.index.query('first', { accept }).hits.map(({ row }) => String(replica.rows.id(row)));
  };
  expect(await found()).toEqual(['3', '1', '7']);
  await writeFile(join(folder, name), (await readFile(join(folder, name))).fill(7, 40, 60));
  expect(await found()).toEqual(['3', '1', '7']);
  await rm(join(folder, name));
  expect(await found()).toEqual(['3', '1', '7']);
});

test('of damaged snapshots the one before is taken, and at last the log', async () => {
  const world = await createWorld();
  const policy = { ...AT_ONCE, logMs: 86_400_000 };
  const first = await fill(world, policy);
  await until(async () => (await world.keys()).length === 1);
  await first.write(5, 'later');
  const keys = await until(async () => {
    const found = await world.keys();
    return found.length === 2 && found;
  });
  const [older = '', newer = ''] = keys;
  await first.datasets.stop();
  for (const [damaged, errors] of [
    [newer, 1],
    [older, 2],
  ] as const) {
    await world.objects.put(damaged, Buffer.from('no snapshot'));
    const process = await world.open({ at: await world.newFolder() });
    expect(await words(process.datasets)).toEqual(['first 1', 'first 3', 'later', 'second 2']);
    expect(process.errors).toHaveLength(errors);
  }
});

test('a snapshot of another log is not taken, such as one of a database that was removed', async () => {
  const world = await createWorld();
  await fill(world, AT_ONCE);
  await until(async () => (await world.keys()).length > 0);
  const fresh = await world.open({ data: createMemoryDatabase(), store: createMemoryObjects() });
  await createDeclarations(fresh).declare({ name: 'words', spec: SPEC, actor: 'test', force: false });
  for (const n of [1, 2, 3, 4, 5, 6]) await fresh.write(n, 'other');
  expect(await words(fresh.datasets)).toEqual(Array.from({ length: 6 }, () => 'other'));
  const { position } = fresh.datasets.get('words').dataset.replica;
  expect(position).toBe(7);
});

test('the newest are kept, and the log as far as they need it', async () => {
  const world = await createWorld();
  const { write, datasets } = await fill(world, AT_ONCE);
  const seen = new Set<string>();
  for (let n = 10; seen.size < 5; n += 1) {
    await write(n, `more ${n}`);
    await until(async () => {
      const fresh = (await world.keys()).filter((key) => !seen.has(key));
      fresh.forEach((key) => seen.add(key));
      return fresh.length > 0;
    });
  }
  const kept = await until(async () => {
    const found = await world.keys();
    return found.length === 3 && found;
  });
  const oldest = Number(/\/(\d+)\./.exec(kept[0] ?? '')?.[1]);
  const log = world.database.table('log');
  await until(async () => (await log.get(`words#${oldest - 1}`)) === undefined);
  expect(await log.get(`words#${oldest}`)).toBeDefined();
  expect(await log.get('words#1')).toBeUndefined();
  expect(await words((await world.open({ at: await world.newFolder() })).datasets)).toEqual(await words(datasets));

  // Without any of them nothing is better than half of it.
  for (const key of await world.keys()) await world.objects.remove(key);
  const lost = await world.open({ at: await world.newFolder() });
  await until(() => lost.errors.length > 0);
  expect(String(lost.errors[0])).toContain('was shortened');
  expect(() => lost.datasets.get('words')).toThrow('is being loaded');
});

test('object storage that is away does not stop a start that has a file', async () => {
  const world = await createWorld();
  await fill(world, AT_ONCE);
  await until(async () => (await world.keys()).length > 0);
  const away: typeof world.objects = {
    ...world.objects,
    // eslint-disable-next-line require-yield -- it fails before its first object
    async *list() {
      throw new SlipwayError('unavailable', 'object storage does not answer');
    },
  };
  expect(await words((await world.open({ store: away })).datasets)).toHaveLength(3);
});
