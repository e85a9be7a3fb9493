import { expect, test } from 'vitest';
import { accept, issues } from '../kinds/pipelines.js';

const HELD_OUT = { connection: 'samples', path: 'wine.json', metric: 'accuracy', min: 0.8 };

test('gates with bounds of every form are accepted', async () => {
  const gates = {
    metrics: [{ metric: 'rmse', max: '0.8' }, { metric: 'r2', min: 0, max: 1 }, null],
    serving: [{ metric: 'rmse' }, { metric: 'r2', goal: 'maximize', margin: 0.01 }],
    heldOut: HELD_OUT,
    approval: { required: true, roles: ['admin', 'wine-owners'], timeoutSeconds: 3_600 },
  };
  expect((await accept({ gates })).spec.gates).toEqual({
    ...gates,
    metrics: [
      { metric: 'rmse', max: 0.8 },
      { metric: 'r2', min: 0, max: 1 },
    ],
    serving: [
      { metric: 'rmse', goal: 'minimize', margin: 0 },
      { metric: 'r2', goal: 'maximize', margin: 0.01 },
    ],
  });
});

const without = (field: keyof typeof HELD_OUT) => ({ heldOut: { ...HELD_OUT, [field]: undefined } });
// prettier-ignore
const REFUSED: readonly (readonly [object, string])[] = [
  [{ metrics: [{ max: 1 }] }, 'gate 0 on metrics names no metric'],
  [{ metrics: [{ metric: 'rmse' }] }, 'spec.gates.metrics.0 has neither min nor max'],
  [{ metrics: [{ metric: 'rmse', min: 2, max: 1 }] }, 'spec.gates.metrics.0 can never be reached: min is above max'],
  [{ metrics: [5, { metric: 'rmse', min: 'x' }] }, 'spec.gates.metrics.0 must be an object; spec.gates.metrics.1.min must be a number'],
  [{ metrics: { metric: 'rmse', max: 1 } }, 'spec.gates.metrics must be a list'],
  [{ metrics: Array.from({ length: 1_001 }, () => ({ metric: 'a', max: 1 })) }, 'spec.gates.metrics must have at most 1000 entries'],
  [{ serving: [{}] }, 'gate 0 on the serving model names no metric'],
  [{ serving: [{ metric: 'r2', goal: 'better' }] }, 'goal is minimize or maximize, not "better"'],
  [{ serving: [{ metric: 'r2', margin: -0.1 }] }, 'margin must not be less than 0'],
  [{ serving: [{ metric: 'r2', margin: [] }] }, 'spec.gates.serving.0.margin must be a number'],
  [{ approval: { required: true, timeoutSeconds: 0 } }, 'timeoutSeconds must be at least 1'],
  [{ approval: { timeoutSeconds: 0.5 } }, 'spec.gates.approval.timeoutSeconds must be an integer'],
  [{ approval: { timeoutSeconds: 2 ** 31 } }, 'spec.gates.approval.timeoutSeconds must be an integer of 32 bits'],
  [{ approval: { required: 'yes' } }, 'spec.gates.approval.required must be true or false'],
  [{ approval: { required: true, roles: ['admin', ''] } }, 'roles holds an empty name'],
  [without('connection'), 'the held-out check names no connection'],
  [without('path'), 'the held-out check names no file of samples'],
  [without('metric'), 'metric is one of accuracy, meanAbsoluteError, rootMeanSquaredError, not ""'],
  [without('min'), 'spec.gates.heldOut has neither min nor max'],
  [{ heldOut: { ...HELD_OUT, max: 0.1 } }, 'spec.gates.heldOut can never be reached: min is above max'],
  [{ heldOut: { ...HELD_OUT, metric: 'auc' } }, 'metric is one of accuracy, meanAbsoluteError, rootMeanSquaredError, not "auc"'],
  [{ heldOut: { ...HELD_OUT, connection: 'gone' } }, 'entity "gone" is not found'],
  [{ heldOut: { ...HELD_OUT, connection: 'code' } }, 'code is no connection of an object store'],
  [{ heldOut: { min: 1 } }, 'the held-out check names no connection; the held-out check names no file of samples; metric is one of accuracy, meanAbsoluteError, rootMeanSquaredError, not ""'],
  [{ heldOut: [] }, 'spec.gates.heldOut must be an object'],
];
test.each(REFUSED)('gates of %j are refused', async (gates, message) => {
  expect(await issues({ gates })).toBe(message);
});

test('an infinite bound is no number', async () => {
  const gates = JSON.parse('{"metrics": [{"metric": "r2", "min": 1e999}]}') as object;
  expect(await issues({ gates })).toBe('spec.gates.metrics.0.min must be a number');
});

test('gates need something to guard', async () => {
  expect(await issues({ deployment: {}, gates: { serving: [{ metric: 'r2' }] } })).toBe(
    'without a deployment there is no serving model to be better than',
  );
  expect(await issues({ deployment: {}, gates: { approval: { required: true } } })).toBe(
    'without a deployment there is nothing to approve',
  );
  expect(await issues({ deployment: {}, packaging: {}, gates: { heldOut: HELD_OUT } })).toBe(
    'a held-out check needs the image of a packaging',
  );
});
