import { expect, test } from 'vitest';
import { readTensorModel, type TensorFiles } from '../../../activities/packaging/tensor-rules.js';

const PLAIN: TensorFiles = { names: ['model.onnx'], name: 'wine', version: '1', tag: '20.11-py3' };
const NETWORK = ['model.netdef', 'init_model.netdef', 'config.pbtxt'];

test.each<[string, Partial<TensorFiles>, object]>([
  ['ONNX', {}, { file: 'model.onnx', name: 'wine', version: '1' }],
  ['an engine', { names: ['model.plan'] }, { file: 'model.plan' }],
  ['a saved model', { names: ['model.savedmodel', 'more.txt'] }, { file: 'model.savedmodel' }],
  ['a graph', { names: ['model.graphdef', 'config.pbtxt'] }, { file: 'model.graphdef' }],
  ['a script', { names: ['model.pt', 'config.pbtxt'] }, { file: 'model.pt' }],
  ['Python, which goes first', { names: ['model.onnx', 'model.py', 'config.pbtxt'] }, { file: 'model.py' }],
  ['a network with an old server', { names: NETWORK, tag: '20.10-py3' }, { file: 'model.netdef' }],
  ['a network with a server of unknown age', { names: NETWORK, tag: 'mine' }, { file: 'model.netdef' }],
  ['ONNX with the server for it', { tag: 'onnx' }, { file: 'model.onnx' }],
  ['a version with zeros', { version: '01.0' }, { version: '1' }],
  ['the name that the configuration has', { config: 'name: "wine"' }, { name: 'wine' }],
  [
    'a configuration without a name of its own',
    { config: '# name: "x"\ndefault_model_filename: "f"\ninput [ { name: "x" } ]' },
    { name: 'wine' },
  ],
  [
    'a graph of a backend that is gone',
    { names: ['model.savedmodel'], tag: '25.02-py3' },
    { warning: expect.stringContaining('25.02-py3') },
  ],
])('%s is served', (_, changes, expected) => {
  expect(readTensorModel({ ...PLAIN, ...changes })).toMatchObject(expected);
});

test.each<[string, Partial<TensorFiles>, RegExp]>([
  [
    'no model',
    { names: ['model.pkl'] },
    /none of model\.py, .*model\.netdef: write the model under one of these names/,
  ],
  ['a script without configuration', { names: ['model.pt'] }, /^model\.pt needs config\.pbtxt beside it/],
  ['a graph without configuration', { names: ['model.graphdef'] }, /^model\.graphdef needs config\.pbtxt/],
  ['Python without configuration', { names: ['model.py'] }, /^model\.py needs config\.pbtxt/],
  ['half a network', { names: ['model.netdef'] }, /^model\.netdef needs config\.pbtxt and init_model\.netdef/],
  ['a network with the default tag', { names: NETWORK }, /"20\.11-py3".*name 20\.10-py3 or an older one/],
  ['a network with a later tag', { names: NETWORK, tag: '23.05-py3' }, /"23\.05-py3"/],
  ['another model than ONNX with the server for it', { names: ['model.plan'], tag: 'onnx' }, /serves model\.onnx only/],
  [
    'Python with packages of its own',
    { names: ['model.py', 'config.pbtxt', 'conda.yaml'] },
    /^conda\.yaml asks for packages/,
  ],
  ...['1.2', 'v1', '0', '', '-1', '9'.repeat(20)].map((version): [string, Partial<TensorFiles>, RegExp] => [
    `version "${version}"`,
    { version },
    /is no whole number from 1/,
  ]),
  ...['a/b', '..', '', 'wine 1', 'ä'].map((name): [string, Partial<TensorFiles>, RegExp] => [
    `name "${name}"`,
    { name },
    /may hold letters, digits/,
  ]),
  [
    'another name than that of the configuration',
    { config: 'input [ { name: "wine" } ]\nname : "rose"' },
    /has the name "rose", the model "wine"/,
  ],
])('%s is refused', (_, changes, message) => {
  expect(readTensorModel({ ...PLAIN, ...changes })).toMatch(message);
});
