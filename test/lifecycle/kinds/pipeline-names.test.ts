import { expect, test } from 'vitest';
import { namesOfPipeline } from '../../../lifecycle/kinds/pipeline-names.js';
import type { Pipeline } from '../../../lifecycle/kinds/pipeline.js';
import { accept } from './pipelines.js';

const named = async (changed: object = {}) => {
  const { spec } = await accept(changed);
  return namesOfPipeline({ id: 'wine', spec, status: { lastRun: 0, positions: {} } } as unknown as Pipeline);
};

test('a pipeline names the connections of its three templates and of its held-out samples', async () => {
  expect(
    await named({
      gates: { heldOut: { connection: 'samples', path: 'a.json', metric: 'accuracy', min: 0.5 } },
      deployment: { id: 'wine', spec: { predictor: 'platform-ml-server', imagePullConnID: 'docker-ci' } },
    }),
  ).toEqual({
    connections: ['code', 'samples', 'docker-ci', 'docker-ci'],
    toolchain: 'ml-toolchain',
    packager: 'container-rest',
  });
});

test('a placeholder is accepted for a value that the next run fills in', async () => {
  const parameters = { alpha: '0.5', where: '{{ parameters.team }}-code', team: 'x' };
  const { spec } = await accept();
  const vcs = { connection: '{{ parameters.where }}' };
  const template = { ...spec, parameters, training: { ...spec.training, algorithmSource: { vcs, objectStorage: {} } } };
  const pipeline = { id: 'wine', spec: template, status: { lastRun: 0, positions: {} } } as unknown as Pipeline;
  expect(namesOfPipeline(pipeline).connections).toContain('x-code');
  const cyclic = { ...pipeline, spec: { ...template, parameters: { where: '{{ parameters.where }}' } } };
  expect(namesOfPipeline(cyclic).connections).not.toContain('x-code');
});
