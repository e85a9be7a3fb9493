import type { Kind } from '../../platform/kinds/resource.js';
import type { JsonSchema } from '../json-schema.js';

export type Texts = Readonly<Record<string, string>>;

// prettier-ignore
const SHARED: Texts = {
  resources:          'requests and limits of cpu, memory and gpu, such as 500m, 2Gi and 1',
  nodeSelector:       'labels of one configured node pool; empty: any pool',
  outputConnection:   'id of the connection that stores the artifact; default: that of the installation',
};
// prettier-ignore
const TRAINING: Texts = {
  model:                         'name and version of the model',
  'model.name':                  'letters, digits, -, _ and .',
  'model.version':               'as text, such as "1.0"',
  'model.artifactNameTemplate':  'name of the artifact; may use Name, Version, RandomUUID and CommitID',
  toolchain:                     'id of a toolchain integration, such as ml-toolchain',
  entrypoint:                    'entry point of the MLproject file',
  workDir:                       'folder of the project, relative to the root of the repository',
  algorithmSource:               'the code: exactly one of vcs and objectStorage',
  'algorithmSource.vcs':         'id of a connection of type git, and a branch, tag or commit; default: those of the connection',
  'algorithmSource.objectStorage': 'id of a connection of an object store, and a path below it',
  data:                          'input data: files of a connection, or feedback of a served model, at localPath in the project',
  'data.connection':             'id of a connection of an object store',
  'data.localPath':              'relative to the root of the repository',
  'data.remotePath':             'below the path of the connection',
  'data.feedback':               'answered calls of a model with their feedback, instead of a connection',
  hyperParameters:               'parameters of the entry point',
  envs:                          'variables of the program; valueFrom takes a secret of a connection that allows it',
  args:                          'further arguments of the entry point',
  image:                         'image of the job; default: that of the toolchain integration',
  ...SHARED,
};
// prettier-ignore
const PACKAGING: Texts = {
  artifactName:              'name of the artifact, as the training shows it',
  integrationName:           'id of a packaging integration, such as container-rest',
  arguments:                 'arguments of the packaging integration',
  targets:                   'connections by purpose, such as container-push',
  'targets.name':            'such as container-push or container-pull',
  'targets.connectionName':  'id of a connection of a registry',
  image:                     'image of the packager; default: that of the packaging integration',
  ...SHARED,
};
// prettier-ignore
const DEPLOYMENT: Texts = {
  image:                      'full name of the image, as the result image of the packaging shows it',
  predictor:                  'inference server of the image: platform-ml-server or tensor-server',
  roleName:                   'role that may invoke the model; default: role-<id>',
  minReplicas:                '0: the deployment may scale to zero',
  maxReplicas:                'at least 1, and minReplicas',
  livenessProbeInitialDelay:  'seconds beside the usual limit in which a replica that is started again is not replaced, however long it loads',
  readinessProbeInitialDelay: 'seconds beside the usual limit in which a replica must be ready',
  imagePullConnID:            'id of the connection to pull with; default: that of the installation',
  annotations:                '`description` is shown in the catalog; other entries have no effect, and are taken so that existing manifests stay valid',
  feedback:                   'whether requests, responses and feedback are recorded',
  records:                    'values that records leave out (redact), and how long records are kept',
  egress:                     'where replicas may connect to',
  imagePolicy:                'which images may run',
  protected:                  'whether only an admin and runs of `pipeline` may change it',
  pipeline:                   'id of the pipeline that may change a protected deployment',
  resources:                  SHARED.resources ?? '',
  nodeSelector:               SHARED.nodeSelector ?? '',
};

// prettier-ignore
const BATCH_FOLDERS: Texts = {
  'dataSource.connection':        'id of a connection of an object store',
  'dataSource.path':              'the input files: all below it, or this one',
  'outputDestination.connection': 'id of a connection of an object store',
  'outputDestination.path':       'the output of a file goes to <id of the job>/<name of the file>/ below it',
  nodeSelector:                   SHARED.nodeSelector ?? '',
  resources:                      SHARED.resources ?? '',
};

const below = (path: string, texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${path}.${name}`, text]));

// prettier-ignore
const FIELD_TEXTS: Partial<Record<Kind, Texts>> = {
  Connection: {
    type:        'git, object-store, container-registry or cloud-registry',
    uri:         'address, such as https://host/repository.git, gs://bucket/path or registry/path',
    reference:   'branch, tag or commit of a training that names none',
    password:    'Base64; shown as *****',
    keyID:       'Base64; shown as *****',
    keySecret:   'Base64, such as a private key or a token; shown as *****',
    publicKey:   'Base64; host key of a git server',
    vital:       'whether deleting it is refused',
    usableIn:    'runs that may take its secrets as variables',
    description: 'for people',
    webUILink:   'for people',
  },
  ToolchainIntegration: {
    entrypoint:             'program that trains',
    defaultImage:           'image of its jobs',
    additionalEnvironments: 'variables of each of its jobs',
  },
  PackagingIntegration: {
    entrypoint:   'program that packages',
    defaultImage: 'image of its jobs',
    privileged:   'without effect; taken so that existing manifests stay valid',
    schema:       'connections and arguments of a packaging',
  },
  ModelTraining:   TRAINING,
  ModelPackaging:  PACKAGING,
  ModelDeployment: DEPLOYMENT,
  InferenceService: {
    image:   'image of the program, such as the result of a packaging with container-cli',
    command: 'the program; replaces the entry point of the image',
    args:    'its arguments; the name of the input file and of the output folder come after them',
    'modelRegistry.remote': 'a model that is not in the image: its files are put at the path in SLIPWAY_MODEL_PATH',
    'modelRegistry.local':  'a model that is in the image',
    triggers: 'whether jobs can be created',
    ...BATCH_FOLDERS,
  },
  InferenceJob: {
    inferenceServiceId: 'id of an inference service; what the job leaves out is that of the service',
    requestId:          'your name for the job, in SLIPWAY_REQUEST_ID; default: a UUID',
    ...BATCH_FOLDERS,
  },
  ModelRoute: {
    urlPrefix:                 'address below the platform, such as /custom/wine',
    'modelDeployments.mdName': 'id of a deployment',
    'modelDeployments.weight': 'percent of the traffic',
  },
  ModelPipeline: {
    parameters:        'declared parameters with their defaults; templates use {{ parameters.NAME }}',
    version:           'version of the model; may use {{ run }}, the number of the run',
    training:          'template of the training',
    packaging:         'template of the packaging; without integrationName the pipeline ends with the artifact',
    deployment:        'the deployment that gets the image; without id the pipeline ends with the image',
    gates:             'conditions between the steps; a gate that is given is on',
    'gates.metrics':   'limits on metrics that the training logged',
    'gates.serving':   'better than the model that serves now, by margin',
    'gates.heldOut':   'the image answers a stored sample set well enough',
    'gates.approval':  'a person with one of the roles approves the run',
    triggers:          'what starts runs beside a call; a trigger that is given is on',
    'triggers.schedule': 'five fields of cron in an IANA time zone',
    'triggers.feedback': 'after so many new feedback records; 0: off',
    'triggers.drift':    'the error of the served model is above limit',
    'triggers.data':     'objects behind the data of the training change',
    'triggers.webhook':  'a signed message arrives',
    onFailure:         'restore: a deployment that failed gets its former spec; keep: it stays',
    notify:            'addresses that receive events of runs',
    noCache:           'never reuse what an earlier run made of the same inputs',
    ...below('training', TRAINING),
    ...below('packaging', PACKAGING),
    ...below('deployment.spec', DEPLOYMENT),
  },
};

/** Adds what each field of a spec means. */
export const describeFields = (kind: Kind, schema: JsonSchema): JsonSchema =>
  addTexts(kind, FIELD_TEXTS[kind] ?? {}, schema);

/** @throws when a text belongs to no field */
export function addTexts(kind: string, texts: Texts, schema: JsonSchema): JsonSchema {
  const described = structuredClone(schema);
  for (const [path, description] of Object.entries(texts)) {
    const field = path.split('.').reduce((node: JsonSchema, name) => {
      // A field that may also be null or a text has its form as one of several.
      const [inner = node] = (node.anyOf ?? []) as JsonSchema[];
      const { properties = {} } = node.items === undefined ? inner : (node.items as JsonSchema);
      const found = properties[name] as JsonSchema | undefined; // no schema of a spec is a reference
      if (found === undefined) throw new Error(`${kind} has no field ${path}`);
      return found;
    }, described);
    field.description ??= description;
  }
  return described;
}
