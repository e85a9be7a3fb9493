import { afterEach, expect, test } from 'vitest';
import { openImage } from '../../../platform/registry/open-image.js';
import { type TarEntry } from '../shared/archives.js';
import { entriesOf } from '../../platform/registry/memory-registry.js';
import { failed, openAssembly, removeServers } from './assembly-scene.js';

afterEach(removeServers);

const TENSORS: TarEntry[] = [
  { name: 'platform.model.yaml', content: 'name: twice\nversion: 3.0\n' },
  { name: 'config.pbtxt', content: 'name: "twice"' },
  { name: 'model.onnx', content: 'graph' },
  { name: 'labels', type: 'directory' },
  { name: 'labels/names.txt', content: 'a' },
];
const TREE = [
  ...['models_repository/', 'models_repository/twice/', 'models_repository/twice/3/'],
  ...['models_repository/twice/3/labels/', 'models_repository/twice/3/labels/names.txt'],
  ...['models_repository/twice/3/model.onnx', 'models_repository/twice/config.pbtxt'],
];

test('a model for the tensor server gets its layout on the image of the tag, with the start and the labels of the server', async () => {
  const mirrors = (to: string) => ({ 'nvcr.io/nvidia/tritonserver:20.11-py3': `${to}/library/python:3.11` });
  const { build, host, registry, installs } = await openAssembly({
    packager: 'container-tensor',
    files: TENSORS,
    mirrors,
  });
  const { image: name, digest, environment } = await build();
  expect([name, environment, installs()]).toEqual([
    `${host}/models/twice-3:u1`,
    'nvcr.io/nvidia/tritonserver:20.11-py3',
    0,
  ]);
  const image = await openImage(registry.open('models/twice-3'), digest, { reason: 'PushFailed' });
  if (image === undefined) throw new Error('no image');
  expect(Object.keys(await entriesOf(image, 1))).toEqual(TREE);
  expect(image.config.config).toMatchObject({
    Entrypoint: ['tritonserver', '--model-repository=/models_repository', '--strict-model-config=false'],
    User: '10001:0',
    Labels: {
      ...{
        'dev.slipway.predictor': 'tensor-server',
        'dev.slipway.port': '8000',
        'dev.slipway.packager': 'container-tensor',
      },
      ...{ 'dev.slipway.model.name': 'twice', 'dev.slipway.model.version': '3' },
    },
  });
});

test("the platform's own tensor server is made once for all models, of the packages that its base lacks", async () => {
  const mirrors = (to: string) => ({ 'python:3.11-slim': `${to}/library/python:3.11` });
  const args = { server_base_image_tag: 'onnx' };
  const scene = await openAssembly({ packager: 'container-tensor', files: TENSORS, args, mirrors });
  const { digest, environment } = await scene.build();
  expect(environment).toMatch(new RegExp(`^${scene.host}/slipway/environments:[0-9a-f]{32}$`));
  expect(await scene.build('u2')).toMatchObject({ digest, environment });
  expect(scene.installs()).toBe(1);
  const image = await openImage(scene.registry.open('models/twice-3'), digest, { reason: 'PushFailed' });
  expect(image?.config.config?.Env).toEqual(
    expect.arrayContaining(['MODEL_REPOSITORY=/models_repository', 'PORT=8000', 'MODEL_NAME=twice', 'MODEL_VERSION=3']),
  );
  expect(image?.config.config).toMatchObject({ Entrypoint: ['python', '-m', 'slipway_server'] });
});

test('without a description a model for the tensor server has the defaults of name and version', async () => {
  const mirrors = (to: string) => ({ 'python:3.11-slim': `${to}/library/python:3.11` });
  const files = [{ name: 'model.onnx', content: 'graph' }];
  const { build, host } = await openAssembly({
    packager: 'container-tensor',
    files,
    args: { server_base_image_tag: 'onnx' },
    mirrors,
  });
  expect((await build()).image).toBe(`${host}/models/model-1:u1`);
});

test('what no tensor server can serve is refused before a base is pulled', async () => {
  const { build, pulls } = await openAssembly({
    packager: 'container-tensor',
    files: [{ name: 'model.pt', content: 'x' }],
  });
  await expect(build()).rejects.toMatchObject(failed('PackagerFailed', /^model\.pt needs config\.pbtxt beside it/));
  expect(pulls).toEqual([]);
});
