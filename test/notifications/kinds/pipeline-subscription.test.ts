import { expect, test } from 'vitest';
import { PipelineSpec } from '../../../lifecycle/kinds/pipeline.js';
import { PLATFORM_TYPES } from '../../../notifications/events/catalogue.js';
import { addressesOf, pipelineSubscriptionId } from '../../../notifications/kinds/pipeline-subscription.js';

const RUN = 'pipeline.run';
const A = 'https://a.example/hook';
const B = 'https://b.example/hook';
const derive = (notify: object[]) => addressesOf({ id: 'wine', spec: PipelineSpec.parse({ notify }) });
const typesOf = (notify: object[]) => derive(notify).map(({ url, spec }) => [url, spec.types]);

test.each([
  [['succeeded'], [`${RUN}.succeeded`]],
  [['failed'], [`${RUN}.cancelled`, `${RUN}.failed`]],
  [['waiting'], [`${RUN}.waiting`]],
  [[], [`${RUN}.cancelled`, `${RUN}.failed`, `${RUN}.succeeded`, `${RUN}.waiting`]],
])('on %j subscribes to %j', (on, types) => {
  expect(typesOf([{ url: A, on }])).toEqual([[A, types]]);
  const known = PLATFORM_TYPES.map(({ type }) => type);
  expect(types.filter((type) => !known.includes(type))).toEqual([]);
});

test('one address has one subscription with the events of all its entries', () => {
  const entries = [
    { url: A, on: ['waiting'] },
    { url: B, on: ['failed'] },
    { url: A, on: ['succeeded', 'waiting'] },
  ];
  expect(typesOf(entries)).toEqual([
    [A, [`${RUN}.succeeded`, `${RUN}.waiting`]],
    [B, [`${RUN}.cancelled`, `${RUN}.failed`]],
  ]);
});

test('a subscription is limited to its pipeline', () => {
  expect(derive([{ url: A }])).toMatchObject([{ spec: { url: A, mode: 'push', filter: 'pipeline == "wine"' } }]);
});

test('the id follows from pipeline, address and incarnation', () => {
  const [address] = derive([{ url: A }]);
  const [other] = derive([{ url: B }]);
  if (address === undefined || other === undefined) throw new Error('notify has an address');
  const id = pipelineSubscriptionId('uid', address, 0);
  expect(id).toMatch(/^sub_[0-9a-f]{18}$/);
  expect(pipelineSubscriptionId('uid', address, 0)).toBe(id);
  const others = [
    pipelineSubscriptionId('uid', other, 0),
    pipelineSubscriptionId('uid', address, 1),
    pipelineSubscriptionId('other', address, 0),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
});
