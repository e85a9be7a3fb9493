import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import { noticeSecrets, secretText } from '../../../lifecycle/stores/webhook-secrets.js';
import type { Subscription } from '../../../notifications/kinds/subscription.js';
import {
  createPipelineSubscriptions,
  type PipelineSubscriptions,
} from '../../../notifications/stores/pipeline-subscriptions.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { createSecretBox } from '../../../platform/stores/secrets.js';
import { PIPELINE } from '../../lifecycle/kinds/pipelines.js';
import { newPipeline } from '../../activities/shared/resources.js';
import { openKey } from '../../../notifications/delivery/sealed-keys.js';

const A = { url: 'https://a.example/hook', on: ['succeeded'] };
const B = { url: 'https://b.example/hook', on: ['failed'] };

async function repair(owned: PipelineSubscriptions): Promise<void> {
  for (const items of [owned.repairs(), owned.removals()]) for await (const item of items) await item.act();
}

function openScene() {
  const database = createMemoryDatabase();
  const pipelines = createResources<Pipeline>({ database, kind: 'ModelPipeline' });
  const subscriptions = createResources<Subscription>({ database, kind: 'Subscription' });
  let lists = 0;
  const counted = { ...subscriptions, list: () => ((lists += 1), subscriptions.list()) };
  const key = randomBytes(32).toString('base64');
  const box = createSecretBox({ key });
  const open = (sealing = box) =>
    createPipelineSubscriptions({
      ...{ subscriptions: counted, pipelines, newId: randomUUID },
      box: sealing,
      endOfStream: async () => 7,
    });
  const live = async () => (await subscriptions.list()).filter(({ status }) => status.state !== 'removed');
  return {
    ...{ pipelines, subscriptions, box, key, open, live, owned: open() },
    lists: () => lists,
    urls: async () => (await live()).map(({ spec }) => spec.url).sort(),
    create: (notify: object[], id = 'wine') => pipelines.insert(newPipeline(id, { ...PIPELINE, notify })),
    change: (notify: object[], webhook: object = {}) =>
      pipelines.update('wine', (current) => ({
        ...current,
        generation: current.generation + 1,
        spec: newPipeline('wine', { ...PIPELINE, notify, triggers: { webhook } }).spec,
      })),
    secretOf: ({ id, status }: Subscription) => status.keys.map((key) => openKey(id, key, box)),
  };
}

test('each address gets an active subscription that starts at the end of the stream', async () => {
  const { owned, create, live, box, secretOf } = openScene();
  const pipeline = await create([A, B]);
  await owned.reconcile(pipeline);
  const made = await live();
  expect(made).toHaveLength(2);
  for (const each of made) {
    expect(each.status).toMatchObject({
      state: 'active',
      owner: { pipeline: 'wine', uid: pipeline.uid, generation: 1 },
      starts_at: { pipeline: { position: 7, index: 0 } },
    });
    expect(secretOf(each)).toEqual([secretText(noticeSecrets(box, pipeline)[0])]);
    expect(JSON.stringify(each)).not.toContain('whsec_');
  }
});

test('a repair looks at the pipelines with an address alone', async () => {
  const { owned, create } = openScene();
  await create([A], 'beer');
  await create([], 'wine');
  const names: string[] = [];
  for await (const { name } of owned.repairs()) names.push(name);
  expect(names).toEqual(['beer']);
});

test('a repeat changes nothing, and parallel calls create one subscription', async () => {
  const { owned, create, live } = openScene();
  const pipeline = await create([A]);
  await Promise.all([owned.reconcile(pipeline), owned.ensure(pipeline), owned.reconcile(pipeline)]);
  const before = await live();
  expect(before).toHaveLength(1);
  await owned.reconcile(pipeline);
  await repair(owned);
  expect(await live()).toEqual(before);
});

test('a change of spec changes, adds and removes subscriptions', async () => {
  const { owned, create, change, live, urls } = openScene();
  await owned.reconcile(await create([A]));
  const [before] = await live();
  await owned.reconcile(await change([{ ...A, on: ['waiting'] }, B]));
  const after = (await live()).find(({ spec }) => spec.url === A.url);
  expect(after).toMatchObject({ id: before?.id, generation: 2, spec: { types: ['pipeline.run.waiting'] } });
  expect(await urls()).toEqual([A.url, B.url]);
  await owned.reconcile(await change([B]));
  expect(await urls()).toEqual([B.url]);
});

test('an address that was removed and added again has a new subscription', async () => {
  const { owned, create, change, live, subscriptions } = openScene();
  await owned.reconcile(await create([A]));
  const [before] = await live();
  await owned.reconcile(await change([]));
  expect(await live()).toEqual([]);
  expect(await subscriptions.get(before?.id ?? '')).toMatchObject({ status: { state: 'removed', keys: [] } });
  await owned.reconcile(await change([A]));
  await owned.reconcile(await change([A]));
  const after = await live();
  expect(after).toHaveLength(1);
  expect(after[0]?.id).not.toBe(before?.id);
});

test('another secret version, and another key of the installation, replace the signing key', async () => {
  const { owned, create, change, live, open, key, box, secretOf } = openScene();
  await owned.reconcile(await create([A]));
  const [first] = await live();
  const pipeline = await change([A], { secretVersion: 2 });
  await owned.reconcile(pipeline);
  const [second] = await live();
  expect(second?.status.keys[0]?.kid).not.toBe(first?.status.keys[0]?.kid);
  expect(second === undefined ? [] : secretOf(second)).toEqual([secretText(noticeSecrets(box, pipeline)[0])]);
  const rotated = createSecretBox({ key: randomBytes(32).toString('base64'), oldKeys: [key] });
  await repair(open(rotated));
  const [third] = await live();
  const [key3] = third?.status.keys ?? [];
  const opened = key3 && openKey(third?.id ?? '', key3, rotated);
  expect(opened).toBe(secretText(noticeSecrets(rotated, pipeline)[0]));
  expect(third?.generation).toBe(first?.generation);
});

test('a repair heals a crash between the two writes of a create, of a change and of a delete', async () => {
  const { owned, create, change, pipelines, urls } = openScene();
  await create([A]);
  await create([B], 'beer');
  await repair(owned);
  expect(await urls()).toEqual([A.url, B.url]);
  await change([]);
  await repair(owned);
  expect(await urls()).toEqual([B.url]);
  await pipelines.remove('beer');
  await repair(owned);
  expect(await urls()).toEqual([]);
});

test('a pipeline that is created again under its id has subscriptions of its own', async () => {
  const { owned, create, pipelines, live } = openScene();
  await owned.reconcile(await create([A]));
  const [before] = await live();
  await pipelines.remove('wine');
  const again = await pipelines.insert({ ...newPipeline('wine', { ...PIPELINE, notify: [A] }), uid: 'again' });
  await owned.reconcile(again);
  await repair(owned);
  const after = await live();
  expect(after.map(({ status }) => status.owner?.uid)).toEqual(['again']);
  expect(after[0]?.id).not.toBe(before?.id);
});

test('the removal of a pipeline removes its subscriptions alone', async () => {
  const { owned, create, pipelines, urls, subscriptions } = openScene();
  const wine = await create([A]);
  await owned.reconcile(wine);
  await owned.reconcile(await create([B], 'beer'));
  const [foreign] = await subscriptions.list();
  if (foreign === undefined) throw new Error('there is a subscription');
  const { owner: _owner, ...status } = foreign.status;
  const url = 'https://c.example/';
  await subscriptions.insert({ ...foreign, id: 'sub_of_a_client', spec: { ...foreign.spec, url }, status });
  await pipelines.remove('wine');
  await owned.remove(wine);
  expect(await urls()).toEqual([B.url, url]);
  await repair(owned);
  expect(await urls()).toEqual([B.url, url]);
});

test('settings of an older generation do not replace those of a newer one', async () => {
  const { owned, create, change, live } = openScene();
  const old = await create([A]);
  await owned.reconcile(old);
  await owned.reconcile(await change([{ ...A, on: ['waiting'] }]));
  await owned.ensure(old);
  expect(await live()).toMatchObject([{ spec: { types: ['pipeline.run.waiting'] } }]);
});

test('a disabled subscription stays disabled when its pipeline changes', async () => {
  const { owned, create, change, live, subscriptions } = openScene();
  await owned.reconcile(await create([A]));
  const [made] = await live();
  await subscriptions.update(made?.id ?? '', (each) => ({ ...each, status: { ...each.status, state: 'disabled' } }));
  await owned.reconcile(await change([{ ...A, on: [] }]));
  expect(await live()).toMatchObject([{ status: { state: 'disabled' }, spec: { types: { length: 4 } } }]);
});

test('a round reads the subscriptions again only after a change of a pipeline, or after a removal', async () => {
  const { owned, create, change, urls, lists } = openScene();
  await create([A]);
  await repair(owned);
  await repair(owned);
  expect(lists()).toBe(1);
  await change([B]);
  await repair(owned);
  expect(await urls()).toEqual([B.url]);
  await repair(owned);
  await repair(owned);
  expect(lists()).toBe(3);
});
