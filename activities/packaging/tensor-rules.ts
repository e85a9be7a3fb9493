/** The tag of the platform's own tensor server, a small one for models in ONNX. */
export const ONNX_TAG = 'onnx';

/** The top level of an artifact for a tensor server. */
export interface TensorFiles {
  /** Names of files and folders. */
  names: readonly string[];
  /** As its description says; a number of YAML as text. */
  name: string;
  version: string;
  /** Text of `config.pbtxt`. */
  config?: string;
  tag: string;
}

interface ModelFile {
  file: string;
  /** Files that it cannot be served without. */
  needs: readonly string[];
}

const CONFIG = 'config.pbtxt';
const NETWORK = 'model.netdef';
/** In the order in which they are looked for. */
const MODEL_FILES: readonly ModelFile[] = [
  { file: 'model.py', needs: [CONFIG] },
  { file: 'model.plan', needs: [] },
  { file: 'model.savedmodel', needs: [] },
  { file: 'model.graphdef', needs: [CONFIG] },
  { file: 'model.onnx', needs: [] },
  { file: 'model.pt', needs: [CONFIG] },
  { file: NETWORK, needs: [CONFIG, 'init_model.netdef'] },
];
/** Files that ask for packages which no server image has. */
const ENVIRONMENTS = ['conda.yaml', 'conda.yml', 'environment.yaml', 'environment.yml'];
/** Releases by year and month: without Caffe2 from 20.11, without TensorFlow from 25.01. */
const [NO_CAFFE2, NO_TENSORFLOW] = [2011, 2501];

/** A model as the server gets it. */
export interface TensorModel {
  name: string;
  /** A whole number. */
  version: string;
  file: string;
  warning?: string;
}

/** @returns the model, or why no server of the tag can serve it */
export function readTensorModel(files: TensorFiles): TensorModel | string {
  const { names, name, tag, config } = files;
  const found = MODEL_FILES.find(({ file }) => names.includes(file));
  if (found === undefined)
    return `the artifact holds none of ${MODEL_FILES.map(({ file }) => file).join(', ')}: write the model under one of these names`;
  const { file, needs } = found;
  const missing = needs.filter((each) => !names.includes(each));
  if (missing.length > 0) return `${file} needs ${missing.join(' and ')} beside it: add it to the artifact`;
  const version = wholeNumber(files.version);
  if (version === undefined)
    return `version "${files.version.slice(0, 100)}" is no whole number from 1: a tensor server numbers the versions of a model`;
  if (!/^[A-Za-z0-9._-]{1,200}$/.test(name) || /^\.+$/.test(name))
    return `name "${name.slice(0, 200)}" may hold letters, digits, ".", "_" and "-" only: it is a folder of the tensor server`;
  const configured = config === undefined ? undefined : nameIn(config);
  if (configured !== undefined && configured !== name)
    return `${CONFIG} has the name "${configured.slice(0, 200)}", the model "${name}": make them equal, or leave the name out of ${CONFIG}`;
  return tagProblem(file, names, tag) ?? { name, version, file, ...warningOf(file, tag) };
}

function tagProblem(file: string, names: readonly string[], tag: string): string | undefined {
  const environment = names.find((each) => ENVIRONMENTS.includes(each));
  if (tag === ONNX_TAG && file !== 'model.onnx')
    return `server_base_image_tag "${ONNX_TAG}" serves model.onnx only, not ${file}: name the tag of another server`;
  if (file === 'model.py' && environment !== undefined)
    return `${environment} asks for packages that are not installed into a server image: leave it out, and name an image that has them by server_base_image_tag`;
  if (file === NETWORK && releaseOf(tag) >= NO_CAFFE2)
    return `${NETWORK} is not served by server_base_image_tag "${tag}": the backend ended with release 20.10, name 20.10-py3 or an older one`;
  return undefined;
}

function warningOf(file: string, tag: string): { warning?: string } {
  const isOfTensorFlow = file === 'model.graphdef' || file === 'model.savedmodel';
  if (!isOfTensorFlow || releaseOf(tag) < NO_TENSORFLOW) return {};
  return { warning: `${file} needs a backend that servers have no more since release 25.01, and the tag is "${tag}"` };
}

/** `20.11-py3` as 2011; a tag of another form as 0, since nothing is known of it. */
const releaseOf = (tag: string): number => Number(/^(\d\d)\.(\d\d)(?!\d)/.exec(tag)?.slice(1, 3).join('') ?? 0);

/** `1.0` is 1. */
function wholeNumber(text: string): string | undefined {
  const [, digits] = /^0*([1-9]\d{0,14})(?:\.0+)?$/.exec(text) ?? [];
  return digits;
}

/** The name of the model in the text of its configuration: the field outside of all braces and brackets. */
function nameIn(config: string): string | undefined {
  let depth = 0;
  let before = '';
  for (const [token] of config.matchAll(/#.*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[{}[\]]|\w+/g)) {
    if (token.startsWith('#')) continue;
    if (depth === 0 && before === 'name' && /^["']/.test(token)) return token.slice(1, -1);
    if (/^[{[]$/.test(token)) depth += 1;
    if (/^[}\]]$/.test(token)) depth -= 1;
    before = token;
  }
  return undefined;
}
