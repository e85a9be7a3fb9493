import { expect, test } from 'vitest';
import { BACKING_SERVICES } from '../../../platform/kinds/outage.js';
import { type DoctorParts, examine } from '../../../workers/compose/doctor.js';

const GIB = 2 ** 30;
const fine = async () => undefined;
const WELL: DoctorParts = {
  isProduction: true,
  unsafe: [],
  findOutages: async () => [],
  versions: { database: async () => 'MongoDB 7.0.5' },
  checks: { 'list indexes': fine, clock: fine, 'search attributes': fine, 'egress of containers': fine },
  findReachable: async () => [],
  freeBytes: async () => 100 * GIB,
};
const UNSAFE = { setting: 'SLIPWAY_WEBHOOK_PRIVATE', problem: 'is open', remedy: 'remove it' } as const;

const wrongIn = async (parts: Partial<DoctorParts>) =>
  (await examine({ ...WELL, ...parts })).filter(({ state }) => state === 'wrong');

test('an installation as it should be has a line for settings, each service with its version, each check and the disk', async () => {
  const lines = await examine(WELL);
  expect(lines.every(({ state, remedy }) => state === 'ok' && remedy === undefined)).toBe(true);
  expect(lines.map(({ name }) => name)).toEqual([
    'settings',
    ...BACKING_SERVICES,
    ...['list indexes', 'clock', 'search attributes', 'egress of containers', 'disk'],
  ]);
  expect(lines.find(({ name }) => name === 'database')?.found).toBe('MongoDB 7.0.5');
});

test('an unsafe setting is wrong in production, and a note elsewhere', async () => {
  expect(await wrongIn({ unsafe: [UNSAFE] })).toEqual([
    { name: 'SLIPWAY_WEBHOOK_PRIVATE', state: 'wrong', found: 'is open', remedy: 'remove it' },
  ]);
  const [line] = await examine({ ...WELL, unsafe: [UNSAFE], isProduction: false });
  expect(line).toMatchObject({ name: 'SLIPWAY_WEBHOOK_PRIVATE', state: 'note' });
});

test('each fault has its next step', async () => {
  const found = await wrongIn({
    findOutages: async () => [{ name: 'registry', reason: 'refuses connections' }],
    checks: { ...WELL.checks, clock: async () => ({ reason: 'is 90 s ahead', remedy: 'synchronize' }) },
    findReachable: async () => ['169.254.169.254'],
    freeBytes: async () => GIB,
  });
  expect(found.map(({ name, remedy }) => [name, remedy !== undefined])).toEqual([
    ['registry', true],
    ['clock', true],
    ['egress of containers', true],
    ['disk', true],
  ]);
});

test('a check that cannot know, or that gets no answer, is not passed', async () => {
  const checks = { ...WELL.checks, clock: () => Promise.reject(new Error('away')) };
  const silent = { 'list indexes': () => new Promise<undefined>(() => undefined) };
  const findReachable = () => Promise.reject(new Error('away'));
  const found = await wrongIn({ checks: { ...checks, ...silent }, limitMs: 10, findReachable });
  expect(found.map(({ name, found: text }) => [name, text])).toEqual([
    ['list indexes', 'cannot be checked'],
    ['clock', 'cannot be checked'],
    ['egress of containers', 'cannot be checked'],
  ]);
});
