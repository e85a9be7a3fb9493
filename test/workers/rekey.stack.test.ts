import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { connectDatabase } from '../../platform/stores/mongo-database.js';
import { createSecretBox } from '../../platform/stores/secrets.js';
import { nameTestDatabase } from '../platform/stores/test-database.js';
import { openRekeyScene } from './compose/rekey-scene.js';

const PROGRAM = fileURLToPath(new URL('../../workers/rekey.ts', import.meta.url));

test('a rekey killed with -9 again and again seals every secret, beside writes of others', async () => {
  const { uri, name, drop } = nameTestDatabase();
  const database = await connectDatabase(uri, name);
  const scene = await openRekeyScene(database, 200);
  const present = createSecretBox({ key: scene.key });
  const isDone = async (id: string) => present.isCurrent((await scene.connections.get(id))?.spec.password ?? '');
  const start = (oldKeys = scene.oldKey) =>
    execa(process.execPath, ['--import', 'tsx', PROGRAM], {
      env: {
        ...{ PATH: process.env.PATH, MONGODB_URI: uri, SLIPWAY_DATABASE: name },
        ...{ SLIPWAY_SECRET_KEY: scene.key, SLIPWAY_OLD_SECRET_KEYS: oldKeys },
      },
      extendEnv: false,
      reject: false,
    });

  for (const at of ['c-010', 'c-060']) {
    const killed = start();
    while (!(await isDone(at))) await sleep(5);
    killed.kill('SIGKILL');
    expect((await killed).signal).toBe('SIGKILL');
  }
  expect(await isDone('c-199')).toBe(false);
  expect(await scene.wrong(scene.box)).toEqual([]);

  const last = start();
  await scene.connections.update('c-150', (each) => ({ ...each, spec: { ...each.spec, description: 'changed' } }));
  const { exitCode, stdout, stderr } = await last;
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('0 failed');
  expect(stdout).toContain('SLIPWAY_OLD_SECRET_KEYS may be dropped when');
  expect(await scene.wrong(present)).toEqual([]);
  expect((await scene.connections.get('c-150'))?.spec.description).toBe('changed');
  expect((await start('')).stdout).toContain('200 already up to date, 0 failed');

  await database.close();
  await drop();
});
