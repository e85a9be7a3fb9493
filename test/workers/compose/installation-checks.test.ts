import { expect, test } from 'vitest';
import type { Database } from '../../../platform/stores/database.js';
import { createEgressFindings } from '../../../platform/stores/egress-finding.js';
import { INDEXES } from '../../../platform/stores/indexes.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { openInstallationChecks } from '../../../workers/compose/installation-checks.js';

const AT = Date.parse('2026-02-11T00:00:00Z');

function open(database: Partial<Database> = {}, more: { ownMs?: number; missing?: string[] } = {}) {
  return openInstallationChecks({
    database: { ...createMemoryDatabase(), now: () => new Date(AT), ...database },
    missingSearchAttributes: async () => more.missing ?? [],
    ownMs: () => more.ownMs ?? AT,
  });
}

test('an installation as it should be fails no check', async () => {
  const checks = open();
  expect(await Promise.all(Object.values(checks).map((check) => check()))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('missing indexes are counted, and one is named', async () => {
  const [first, ...rest] = INDEXES;
  const indexNames = async (collection: string) =>
    rest.filter((index) => index.collection === collection).map(({ name }) => name);
  const checks = open({ scans: async () => false, indexNames });
  expect(await checks['list indexes']()).toEqual({
    reason: `1 of ${INDEXES.length} are missing, such as "${first?.name}" of ${first?.collection}: lists are slow`,
    remedy: expect.stringContaining('right to create indexes'),
  });
});

test.each([
  [5_000, undefined],
  [-5_000, undefined],
  [7_400, 'the clock of the API is 7 s ahead of that of the database'],
  [-90_000, 'the clock of the API is 90 s behind that of the database'],
])('a clock that is %i ms ahead is reported as %s', async (aheadMs, reason) => {
  const found = await open({}, { ownMs: AT + aheadMs }).clock();
  expect(found?.reason).toBe(reason);
});

test.each([
  [true, 'no container with a network starts'],
  [false, 'they run all the same'],
])(
  'what containers reached by the newest check is reported, without addresses; refused: %s',
  async (refuses, effect) => {
    const database = createMemoryDatabase();
    const findings = createEgressFindings({ ...database, now: () => new Date(AT) });
    const check = open(database)['egress of containers'];
    expect(await check()).toBeUndefined();
    await findings.record({ reached: ['169.254.169.254'], refuses });
    const reason = `at 2026-02-11T00:00:00.000Z containers reached the host or the metadata of a cloud: ${effect}`;
    expect(await check()).toEqual({ reason, remedy: expect.stringContaining('a firewall on the host') as string });
    await findings.record({ reached: [], refuses });
    expect(await check()).toBeUndefined();
  },
);

test('search attributes that are missing are named with their effect', async () => {
  const found = await open({}, { missing: ['ResourceKind', 'ResourceId'] })['search attributes']();
  expect(found?.reason).toBe('the Temporal namespace lacks ResourceKind, ResourceId: no run can start');
});
