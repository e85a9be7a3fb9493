import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Endpoint } from '../../../lifecycle/kinds/endpoint.js';
import { createAudit } from '../../../platform/stores/audit.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { createIdempotency } from '../../../platform/stores/idempotency.js';
import { createRouteReaders } from '../../../lifecycle/stores/route-readers.js';
import { createEndpoints } from '../../../lifecycle/stores/stored-endpoints.js';

const endpoint = (id: string, port: number): Endpoint => ({
  id,
  uid: 'u',
  generation: 1,
  roleName: 'role',
  modelName: 'wine',
  modelVersion: '1',
  timeoutSeconds: 60,
  feedback: true,
  replicas: [{ name: 'r', url: `http://127.0.0.1:${port}` }],
  info: { openapi: '3.0.0', paths: { '/api/model/invoke': { post: { $ref: '#/x.y' } } } },
});

/** Endpoints, audit records and idempotency records. */
export function recordsContract(open: () => Promise<Database>): void {
  let database: Database;
  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());

  test('endpoints: of each deployment the newest row counts, until it is taken out of service', async () => {
    const endpoints = createEndpoints({ database });
    const puts = [
      await endpoints.put(endpoint('b', 1), 7),
      await endpoints.put(endpoint('a', 2), 1),
      await endpoints.put(endpoint('b', 3), 7),
      await endpoints.put(endpoint('b', 4), 12),
    ];
    expect(puts).toEqual([true, true, true, true]);
    const [a, b] = [
      { ...endpoint('a', 2), epoch: 1 },
      { ...endpoint('b', 4), epoch: 12 },
    ];
    expect(await endpoints.list()).toEqual([a, b]);
    expect(await endpoints.get('b')).toEqual(b);
    expect(await endpoints.withdraw(b, 13)).toBe(true);
    expect(await endpoints.withdraw(b, 13)).toBe(true);
    expect(await endpoints.get('b')).toBeUndefined();
    expect(await endpoints.list()).toEqual([a]);
    expect(await endpoints.epochOf('b')).toBe(13);
    expect(await endpoints.epochOf('none')).toBe(0);
  });

  test('endpoints: an attempt that was replaced changes nothing, not even after the end of the deployment', async () => {
    const endpoints = createEndpoints({ database });
    await endpoints.put(endpoint('a', 2), 20);
    expect(await endpoints.put(endpoint('a', 1), 19)).toBe(false);
    expect([await endpoints.holds('a', 19), await endpoints.holds('a', 20)]).toEqual([false, true]);
    expect(await endpoints.withdraw({ id: 'a', uid: 'u' }, 19)).toBe(false);
    expect(await endpoints.list()).toEqual([{ ...endpoint('a', 2), epoch: 20 }]);
    await endpoints.withdraw({ id: 'a', uid: 'u' }, 21);
    expect(await endpoints.put(endpoint('a', 2), 20)).toBe(false);
    expect(await endpoints.list()).toEqual([]);
  });

  test('endpoints: writers at the same moment leave the row of the newest', async () => {
    const endpoints = createEndpoints({ database });
    const epochs = [5, 3, 9, 1, 7];
    await Promise.all(epochs.map((epoch) => endpoints.put(endpoint('a', epoch), epoch)));
    expect(await endpoints.get('a')).toEqual({ ...endpoint('a', 9), epoch: 9 });
    expect(await endpoints.list()).toHaveLength(1);
  });

  test('endpoints: questions at the same moment share their read of all rows', async () => {
    let reads = 0;
    const counting: Database = {
      ...database,
      table: <R extends Row>(name: string) => {
        const table = database.table<R>(name);
        const members: Table<R>['members'] = (names) => {
          reads += 1;
          return table.members(names);
        };
        return { ...table, members };
      },
    };
    const endpoints = createEndpoints({ database: counting });
    const ids = Array.from({ length: 30 }, (_, n) => `d${n}`);
    await Promise.all(ids.map((id) => endpoints.put(endpoint(id, 1), 1)));
    reads = 0;
    const found = await Promise.all(ids.map((id) => endpoints.get(id)));
    expect(found.map((each) => each?.epoch)).toEqual(ids.map(() => 1));
    expect(reads).toBe(1);
  });

  test('endpoints: a row of an earlier release counts until there is a newer one', async () => {
    const endpoints = createEndpoints({ database });
    await database.table<Row & { endpoint: Endpoint }>('Endpoint').put({ _id: 'a', endpoint: endpoint('a', 1) });
    expect(await endpoints.get('a')).toEqual(endpoint('a', 1));
    expect(await endpoints.list()).toEqual([endpoint('a', 1)]);
    await endpoints.put(endpoint('a', 2), 3);
    expect(await endpoints.list()).toEqual([{ ...endpoint('a', 2), epoch: 3 }]);
  });

  test('endpoints: the rows that every change reads hold no description, however long it is', async () => {
    const endpoints = createEndpoints({ database });
    const long = { ...endpoint('a', 1), info: { openapi: '3.0.0', text: 'x'.repeat(10_000) } };
    await endpoints.put(long, 1);
    await endpoints.put({ ...long, generation: 2 }, 2);
    for await (const row of database.table('Endpoint').scan()) expect(JSON.stringify(row).length).toBeLessThan(1_000);
    const others = createEndpoints({ database });
    expect(await others.list()).toEqual([{ ...long, generation: 2, epoch: 2 }]);
    expect(await others.get('a')).toEqual({ ...long, generation: 2, epoch: 2 });
    await endpoints.withdraw(long, 3);
    const left = [];
    for await (const { _id } of database.table('EndpointInfo').scan()) left.push(_id);
    expect(left).toEqual([]);
  });

  test('endpoints: many descriptions are read for the first list, and those of new rows for a later one', async () => {
    const endpoints = createEndpoints({ database });
    const ids = Array.from({ length: 30 }, (_, n) => `d${String(n).padStart(2, '0')}`);
    for (const id of ids) await endpoints.put({ ...endpoint(id, 1), info: { id } }, 1);
    const reader = createEndpoints({ database });
    expect((await reader.list()).map(({ info }) => info)).toEqual(ids.map((id) => ({ id })));
    await endpoints.put({ ...endpoint('d07', 2), info: { id: 'new' } }, 2);
    expect((await reader.list())[7]).toMatchObject({ info: { id: 'new' }, epoch: 2 });
  });

  test('route readers: all serve a route when no gateway that lives serves an older one', async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const readers = createRouteReaders({ database: { ...database, now: () => new Date(nowMs) } });
    expect(await readers.allServe('wine', 5)).toBe(true);
    await readers.acknowledge('first', { wine: 5 });
    await readers.acknowledge('second', { wine: 4 });
    expect(await readers.allServe('wine', 4)).toBe(true);
    expect(await readers.allServe('wine', 5)).toBe(false);
    await readers.acknowledge('second', { wine: 6 });
    expect(await readers.allServe('wine', 5)).toBe(true);
    await readers.acknowledge('third', {});
    expect(await readers.allServe('wine', 5)).toBe(false);
    await readers.leave('third');
    expect(await readers.allServe('wine', 5)).toBe(true);
    await readers.acknowledge('killed', { wine: 1 });
    nowMs += 61_000;
    expect(await readers.allServe('wine', 5)).toBe(true);
  });

  test('audit: a search for a record of a moment ago reads few records', async () => {
    let reads = 0;
    const counting: Database = {
      ...database,
      table: <R extends Row>(name: string) => {
        const table = database.table<R>(name);
        return { ...table, get: (id) => ((reads += 1), table.get(id)) };
      },
    };
    let second = 0;
    const audit = createAudit({ database: counting, now: () => new Date(Date.UTC(2024, 0, 1, 0, 0, second++)) });
    const note = (entityId: string) =>
      audit.append({ user: { sub: 's' }, action: 'create', kind: 'Run', entityId, changes: [], requestId: 'r' });
    for (let n = 0; n < 100; n += 1) await note(`run-${n}`);
    const { at: from } = await note('newest');
    reads = 0;
    const { records } = await audit.list({ entityId: 'run-0', from }, { limit: 1 });
    expect(records).toEqual([]);
    expect(reads).toBeLessThan(10);
  });

  test('audit: newest first, by pages and filters', async () => {
    let minute = 0;
    const audit = createAudit({ database, now: () => new Date(Date.UTC(2024, 0, 1, 0, minute++)) });
    const users = ['anna', 'ben'];
    for (let count = 0; count < 10; count++) {
      await audit.append({
        user: { sub: `sub-${count % 2}`, name: users[count % 2] },
        action: count < 5 ? 'create' : 'update',
        kind: 'Connection',
        entityId: `c${count}`,
        changes: [{ path: 'spec.keySecret', from: null, to: '*****' }],
        requestId: 'r',
      });
    }
    const ids = async (...ask: Parameters<typeof audit.list>) =>
      (await audit.list(...ask)).records.map(({ entityId }) => entityId).join(' ');
    expect(await ids({}, { limit: 100 })).toBe('c9 c8 c7 c6 c5 c4 c3 c2 c1 c0');
    expect(await ids({ user: 'ben', action: 'update' }, { limit: 100 })).toBe('c9 c7 c5');
    expect(await ids({ user: 'sub-0', entityId: 'c2', kind: 'Connection' }, { limit: 100 })).toBe('c2');
    const range = { from: '2024-01-01T00:02:00Z', to: '2024-01-01T01:04:00+01:00' };
    expect(await ids(range, { limit: 100 })).toBe('c4 c3 c2');
    const first = await audit.list({ user: 'anna' }, { limit: 2 });
    expect(first.records.map(({ entityId }) => entityId)).toEqual(['c8', 'c6']);
    expect(await ids({ user: 'anna' }, { limit: 2, after: first.next })).toBe('c4 c2');
    const last = await audit.list({ user: 'anna' }, { limit: 3, after: first.next });
    expect(last.next).toBeUndefined();
    expect(await audit.list({}, { limit: 0 })).toEqual({ records: [] });
    expect(last.records[0]).toMatchObject({
      at: '2024-01-01T00:04:00.000Z',
      user: { sub: 'sub-0', name: 'anna' },
      changes: [{ path: 'spec.keySecret', from: null, to: '*****' }],
    });
  });

  test('audit: a page costs a few point reads, whatever the number of records', async () => {
    const table = database.table<Row>('Audit');
    let reads = 0;
    const counting: Database = {
      ...database,
      table: <R extends Row>() => ({
        ...(table as Table<R>),
        get: (id: string) => {
          reads += 1;
          return (table as Table<R>).get(id);
        },
        scan: () => {
          throw new Error('the whole collection was read');
        },
      }),
    };
    const record = { user: { sub: 's' }, action: 'rerun', kind: 'ModelTraining', changes: [], requestId: 'r' };
    const writers = [createAudit({ database }), createAudit({ database })];
    for (let count = 0; count < 300; count += 2) {
      await Promise.all(writers.map((writer, index) => writer.append({ ...record, entityId: `t${count + index}` })));
    }
    const reader = createAudit({ database: counting });
    const { records, next } = await reader.list({}, { limit: 40 });
    expect(records.map(({ action }) => action)).toEqual(Array.from({ length: 40 }, () => 'rerun'));
    expect(reads).toBeLessThan(80);
    const all = await reader.list({ action: 'rerun' }, { limit: 1_000 });
    expect(new Set(all.records.map(({ entityId }) => entityId)).size).toBe(300);
    expect(all.records[40]).toEqual((await reader.list({}, { limit: 1, after: next })).records[0]);
    reads = 0;
    await reader.list({ from: '2024-01-01T00:02:00Z', to: '2024-01-01T00:03:00Z' }, { limit: 40 });
    expect(reads).toBeLessThan(80);
  });

  test('audit: a clock that runs behind does not break the order of times', async () => {
    const hour = (hours: number) => () => new Date(Date.now() + hours * 3_600_000);
    const record = { user: { sub: 's' }, action: 'cancel', kind: 'k', entityId: 'e', changes: [], requestId: 'r' };
    const ahead = await createAudit({ database, now: hour(1) }).append(record);
    const behind = await createAudit({ database, now: hour(0) }).append(record);
    expect(behind.at).toBe(ahead.at);
    const { records } = await createAudit({ database }).list({ from: ahead.at, to: ahead.at }, { limit: 10 });
    expect(records).toEqual([behind, ahead]);
  });

  const call = (key: string, body = '{}') => ({ caller: 'anna', method: 'POST', path: '/x', key, body });
  const reply = { status: 201, headers: { etag: '"1-1"' }, body: '{"id":"a"}' };
  let now = Date.UTC(2024, 0, 1);
  const records = () => createIdempotency({ database, now: () => new Date(now), pollMs: 5, renewMs: 20 });
  const firstOf = async (key: string) => {
    const begun = await records().begin(call(key));
    if (!begun.first) throw new Error('this call was not the first');
    return begun;
  };

  test('idempotency: the second call gets the first reply, another body is a mismatch, another caller is another call', async () => {
    const begun = await firstOf('one');
    await begun.finish(reply);
    expect(await records().begin(call('one'))).toEqual({ first: false, reply });
    await expect(records().begin(call('one', '{"a":1}'))).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(await records().begin({ ...call('one'), caller: 'ben' })).toMatchObject({ first: true });
    expect(await records().begin({ ...call('one'), path: '/y' })).toMatchObject({ first: true });
  });

  test('idempotency: of many calls at once one is first, the others wait for its reply', async () => {
    const calls = Array.from({ length: 8 }, async () => {
      const begun = await records().begin(call('crowd'));
      if (begun.first) {
        await new Promise((done) => setTimeout(done, 30));
        await begun.finish(reply);
      }
      return begun.first;
    });
    expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(1);
  });

  test('idempotency: a waiter can give up', async () => {
    await firstOf('slow');
    await expect(records().begin(call('slow'), AbortSignal.timeout(20))).rejects.toThrow();
  });

  test('idempotency: an abandoned call is free at once, a crashed one after 30 s, a finished one after 24 h', async () => {
    await (await firstOf('again')).abandon();
    await createIdempotency({ database, now: () => new Date(now) }).begin(call('again')); // and crashes
    now += 31_000;
    await (await firstOf('again')).finish(reply);
    now += 23 * 3_600_000;
    expect(await records().begin(call('again'))).toMatchObject({ first: false });
    now += 2 * 3_600_000;
    await firstOf('again');
  });

  test('idempotency: a call that takes long, as in a fail-over, runs once', async () => {
    const begun = await firstOf('long');
    now += 31_000;
    await new Promise((done) => setTimeout(done, 200));
    const repeat = records().begin(call('long'), AbortSignal.timeout(5_000));
    now += 20_000;
    await begun.finish(reply);
    expect(await repeat).toEqual({ first: false, reply });
  });

  test('idempotency: a purge removes what is long over, and nothing else', async () => {
    for (let attempt = 0; attempt < 11; attempt++) await (await firstOf('old')).abandon();
    now += 49 * 3_600_000;
    await (await firstOf('young')).finish(reply);
    expect(await records().purge()).toBeGreaterThan(0);
    expect(await records().purge()).toBe(0);
    expect(await records().begin(call('young'))).toMatchObject({ first: false });
    await firstOf('old');
  });
}
