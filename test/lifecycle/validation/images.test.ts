import { expect, test } from 'vitest';
import { acceptConnection } from '../../../lifecycle/validation/connection-validation.js';
import { acceptDeployment } from '../../../lifecycle/validation/deployment-validation.js';
import { acceptPackagingIntegration } from '../../../lifecycle/validation/packaging-integration-validation.js';
import { acceptPackaging } from '../../../lifecycle/validation/packaging-validation.js';
import { acceptPipeline } from '../../../lifecycle/validation/pipeline-validation.js';
import { acceptToolchainIntegration } from '../../../lifecycle/validation/toolchain-integration-validation.js';
import { acceptTraining } from '../../../lifecycle/validation/training-validation.js';
import { installation, refusal, SETTINGS } from '../kinds/installation.js';
import { PIPELINE } from '../kinds/pipelines.js';

const images = { own: SETTINGS.registry, images: [SETTINGS.toolchainImage, SETTINGS.builderImage], networks: [] };
const connections = { code: { type: 'git', uri: 'git@h:p' } };
const context = installation({ connections, rules: { images } });
const listed = installation({ connections, rules: { images: { ...images, registries: ['ghcr.io/acme'] } } });
const INNER = '169.254.169.254/latest';
const REFUSED = `image "${INNER}" is not allowed: 169.254.169.254 is a metadata address`;
const training = (image?: string) => ({
  id: 'a',
  spec: {
    model: { name: 'a', version: '1' },
    toolchain: 'ml-toolchain',
    algorithmSource: { vcs: { connection: 'code' } },
    ...(image !== undefined && { image }),
  },
});
const packaging = (args: object) => ({
  id: 'a',
  spec: { artifactName: 'a', integrationName: 'container-rest', arguments: args },
});
const program = { entrypoint: 'e', defaultImage: INNER };

test.each([
  ['a training', () => acceptTraining(training(INNER), context)],
  ['a deployment', () => acceptDeployment({ id: 'a', spec: { image: INNER, predictor: 'triton' } }, context)],
  ['a base image', () => acceptPackaging(packaging({ dockerfileBaseImage: INNER }), context)],
  ['a toolchain', () => acceptToolchainIntegration({ id: 'a', spec: program }, context)],
  ['a packager', () => acceptPackagingIntegration({ id: 'a', spec: program }, context)],
])('an image of %s at a metadata address is refused', async (_, accept) => {
  expect(await refusal(accept())).toContain(REFUSED);
});

test('a registry at a private address is no connection', async () => {
  const spec = { type: 'container-registry', uri: '10.0.0.1:5000/models/' };
  expect(await refusal(acceptConnection({ id: 'a', spec }, context))).toContain('10.0.0.1 is a private address');
});

test('with a list, a default that it does not name is refused too; the images of settings and pipelines pass', async () => {
  expect(await refusal(acceptPackaging(packaging({}), listed))).toContain('image "python:3.6" is not allowed');
  await acceptPackaging(packaging({ dockerfileBaseImage: 'ghcr.io/acme/python:3.11' }), listed);
  await acceptTraining(training(), listed);
  const { integrationName, targets } = PIPELINE.packaging;
  const base = { integrationName, targets, arguments: { dockerfileBaseImage: 'ghcr.io/acme/python:3.11' } };
  await acceptPipeline({ id: 'wine', spec: { ...PIPELINE, packaging: base } }, listed);
});
