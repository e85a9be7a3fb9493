import { expect, test } from 'vitest';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';
import { sealSpec } from '../../../lifecycle/stores/sealed-connection.js';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import { newPipeline } from '../../activities/shared/resources.js';
import { PIPELINE } from '../../lifecycle/kinds/pipelines.js';
import { rekey } from '../../../workers/compose/rekey.js';
import { toRekeyReport } from '../../../workers/compose/rekey-report.js';
import { newKey, openRekeyScene } from './rekey-scene.js';

const OLD_KEYS = { hasOldKeys: true, encryptsPayloads: false };

test('every secret is sealed again, also those that 0.1.0 sealed or stored plain, and needs the present key alone', async () => {
  const scene = await openRekeyScene(createMemoryDatabase(), 10);
  const result = await rekey(scene);
  expect(result.connections).toEqual({ resealed: 10, current: 0, failures: [] });
  expect(result.subscriptions).toEqual({ resealed: 3, current: 0, failures: [] });
  expect(await scene.wrong(createSecretBox({ key: scene.key }))).toEqual([]);
  const [connection] = await scene.connections.list();
  expect(connection).toMatchObject({ generation: 1, revision: 2, updatedBy: 'ann' });

  const again = await rekey(scene);
  expect([again.connections, again.subscriptions].map(({ resealed, current }) => [resealed, current])).toEqual([
    [0, 10],
    [0, 3],
  ]);
  expect((await scene.connections.get('c-000'))?.revision).toBe(2);
});

test('a rekey that ends in the middle is continued by the next one', async () => {
  const scene = await openRekeyScene(createMemoryDatabase(), 10);
  let left = 4;
  const update: typeof scene.connections.update = (...args) => {
    if (left === 0) throw new Error('the process died here');
    left -= 1;
    return scene.connections.update(...args);
  };
  await expect(rekey({ ...scene, connections: { ...scene.connections, update } })).rejects.toThrow('died here');
  expect(await scene.wrong(scene.box)).toEqual([]);
  expect((await rekey(scene)).connections).toEqual({ resealed: 6, current: 4, failures: [] });
  expect(await scene.wrong(createSecretBox({ key: scene.key }))).toEqual([]);
});

test('changes and removals at the same time are not lost', async () => {
  const scene = await openRekeyScene(createMemoryDatabase(), 30);
  const changing = Array.from({ length: 30 }, async (_, at) => {
    const id = `c-${String(at).padStart(3, '0')}`;
    if (at % 3 === 0) return scene.connections.remove(id);
    return scene.connections.update(id, (each) => ({
      ...each,
      spec: { ...sealSpec({ id, spec: { ...each.spec, password: `p ${id}` } }, scene.box), description: 'changed' },
    }));
  });
  const [result] = await Promise.all([rekey(scene), ...changing]);
  expect(result.connections.failures).toEqual([]);
  const all = await scene.connections.list();
  expect(all.map(({ spec }) => spec.description)).toEqual(Array(20).fill('changed'));
  expect(await scene.wrong(createSecretBox({ key: scene.key }))).toEqual([]);
});

test('a text that does not open is named and left, the others are sealed', async () => {
  const scene = await openRekeyScene(createMemoryDatabase(), 3);
  const stolen = (await scene.connections.get('c-001'))?.spec.password;
  await scene.connections.update('c-002', (each) => ({ ...each, spec: { ...each.spec, password: stolen } }));
  const foreign = createSecretBox({ key: newKey() }).seal('x', 'Connection/c-000/password');
  await scene.connections.update('c-000', (each) => ({ ...each, spec: { ...each.spec, password: foreign } }));
  const result = await rekey(scene);
  expect(result.connections.resealed).toBe(1);
  expect(result.connections.failures.map(({ place }) => place)).toEqual([
    'Connection/c-000/password',
    'Connection/c-002/password',
  ]);
  const text = toRekeyReport(result, OLD_KEYS).join('\n');
  expect(text).toContain('Connection/c-000/password: a stored secret was sealed with key');
  expect(text).toContain('Keep SLIPWAY_OLD_SECRET_KEYS.');
  expect((await scene.connections.get('c-000'))?.spec.password).toBe(foreign);
});

test('the report says when earlier keys may be dropped, and which senders need the new secret', async () => {
  const scene = await openRekeyScene(createMemoryDatabase(), 2);
  const triggered: Pipeline = newPipeline('wine', { ...PIPELINE, triggers: { webhook: { enabled: true } } });
  await scene.pipelines.insert(triggered);
  await scene.pipelines.insert(newPipeline('quiet', PIPELINE));
  expect(toRekeyReport(await rekey(scene), { ...OLD_KEYS, encryptsPayloads: true })).toEqual([
    'secrets of connections: 2 sealed again, 0 already up to date, 0 failed',
    'headers and keys of subscriptions: 3 sealed again, 0 already up to date, 0 failed',
    expect.stringContaining('SLIPWAY_OLD_SECRET_KEYS may be dropped when'),
    expect.stringContaining('every API and worker was restarted'),
    expect.stringContaining('the secret of "slipway pipeline webhook": wine'),
    expect.stringContaining('Temporal has removed the runs that began before'),
  ]);
  expect(toRekeyReport(await rekey(scene), { hasOldKeys: false, encryptsPayloads: false }).at(-1)).toBe(
    'Every stored secret is sealed with SLIPWAY_SECRET_KEY.',
  );
});
