import { z } from 'zod';
import { API_GROUPS } from './lifecycle/kinds/api-groups.js';
import { DEFAULT_QUOTAS, QUOTA_NAMES } from './lifecycle/kinds/quota.js';
import { bucketProblem, bucketUri, objectLocation } from './lifecycle/kinds/object-location.js';
import { parseQuantity } from './platform/kinds/quantity.js';
import { SlipwayError } from './platform/kinds/errors.js';
import { IMAGE_POLICIES } from './lifecycle/kinds/image-policy.js';
import { isRegistryUri } from './lifecycle/kinds/image-name.js';
import { isRegion } from './lifecycle/kinds/store-credentials.js';
import { weakOption } from './platform/kinds/mongodb-uri.js';
import { parseNetwork } from './platform/kinds/network-addresses.js';
import { type Queue, QUEUES } from './platform/kinds/queues.js';
import { PLATFORM_ROLES } from './platform/kinds/roles.js';

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean),
);
const port = z.coerce.number().int().min(0).max(65_535);
const registryUri = z.string().refine(isRegistryUri, 'must be host[:port][/path] without a scheme');
const registries = list.pipe(z.array(registryUri));
/** Containers of jobs see it, so that it holds no password. */
const packageIndex = z
  .url({ protocol: /^https?$/ })
  .refine((text) => new URL(text).password === '', 'must hold no password: jobs can read it');
const origins = list.pipe(
  z.array(
    z
      .url({ protocol: /^https?$/ })
      .refine((text) => new URL(text).origin === text, 'must be origins such as https://intranet.example.com'),
  ),
);
const networks = list.pipe(z.array(z.string().refine(parseNetwork, 'must be ranges such as 10.1.0.0/16 or fd00::/8')));
const ports = list.pipe(z.array(z.coerce.number<string>().int().min(1).max(65_535)).min(1));
const seconds = z.coerce.number().positive();
const mongodbUri = z.string().superRefine((uri, context) => {
  const option = weakOption(uri);
  if (option === undefined) return;
  const required = 'w=majority, journal=true, readPreference=primary';
  context.addIssue({
    code: 'custom',
    message: `it asks for ${option}, but Slipway needs ${required}: remove the option`,
  });
});
const toBucket = (uri: string) => objectLocation({ type: 'object-store', uri });
/** A name alone is a bucket of Google Cloud Storage. */
const bucket = z
  .string()
  .refine(
    (uri) =>
      toBucket(uri).path === '' &&
      toBucket(uri).provider !== undefined &&
      bucketProblem({ type: 'object-store', uri }) === undefined,
    'must be NAME, gs://NAME, s3://NAME or az://ACCOUNT/CONTAINER',
  );
const buckets = list.pipe(z.array(bucket)).transform((uris) => uris.map((uri) => bucketUri(toBucket(uri))));
/** `from=to,from=to` */
const mapping = list.transform((pairs) => Object.fromEntries(pairs.map((pair) => splitOnce(pair, '='))));
const whole = (least: number, most: number) =>
  z.coerce
    .number<string>({ error: `must be a whole number from ${least} to ${most}` })
    .int()
    .min(least)
    .max(most);
const queueNames = Object.keys(QUEUES) as [Queue, ...Queue[]];
/** `queue=number,queue=number` */
const slots = mapping.pipe(
  z.partialRecord(z.enum(queueNames), whole(1, 10_000), {
    error: `must be pairs such as packaging=4 of the queues ${queueNames.join(', ')}`,
  }),
);
/** Connections that may be without TLS in production, because the network between the hosts is trusted. */
const PLAINTEXT = ['mongodb', 'temporal', 'storage', 'docker'] as const;
const plaintext = list.pipe(z.array(z.enum(PLAINTEXT)));
/** `claim value=platform role` */
const roleMap = mapping.pipe(
  z.record(
    z.string().min(1),
    z.enum(PLATFORM_ROLES, {
      error: `must be pairs such as ml-admins=admin of the roles ${PLATFORM_ROLES.join(', ')}`,
    }),
  ),
);
const share = z.coerce.number({ error: 'must be a share from 0.1 to 1, such as 0.8' }).min(0.1).max(1);
const groups = list.pipe(z.array(z.enum(API_GROUPS)));
const nodePools = z.string().transform((text) => z.array(z.record(z.string(), z.string())).parse(JSON.parse(text)));

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

const amounts = mapping.pipe(
  z.partialRecord(
    z.enum(QUOTA_NAMES),
    z.string().refine((text) => (parseQuantity(text) ?? -1n) >= 0n),
    { error: `must be pairs such as cpu=16 of ${QUOTA_NAMES.join(', ')}` },
  ),
);
const pairsOf = (texts: object): string =>
  Object.entries(texts)
    .map(([name, text]) => `${name}=${text}`)
    .join(',');
const positiveQuantity = z
  .string()
  .refine((text) => (parseQuantity(text) ?? 0n) > 0n, 'must be a quantity such as 8 or 64Gi');

/** Every setting: its environment variable, form and default. `.meta` says what it is, `secret` what is never printed. */
// prettier-ignore
export const Settings = z.object({
  NODE_ENV:                         z.enum(['production', 'development', 'test']).default('development').meta({ description: 'production starts no process on unsafe settings, and refuses the embedded issuer' }),
  SLIPWAY_STATE_DIR:                z.string().default('.slipway').meta({ description: 'state of the embedded stack, spool of the gateway' }),
  SLIPWAY_PORT_BASE:                port.optional().meta({ description: 'first of ten ports for a second checkout on one machine' }),
  SLIPWAY_CACHE_DIR:                z.string().optional().meta({ description: "built binaries and images of the embedded stack; default slipway in the user's cache folder" }),
  SLIPWAY_BIN_DIR:                  z.string().optional().meta({ description: 'folder whose binaries the embedded stack takes before any others' }),
  SLIPWAY_HOST:                     z.string().default('127.0.0.1').meta({ description: 'address that the gateway binds' }),
  SLIPWAY_INTERNAL_HOST:            z.string().default('127.0.0.1').meta({ description: 'address of the API behind the gateway, and of all ports for health and metrics' }),
  SLIPWAY_GATEWAY_PORT:             port.default(8080).meta({ description: 'port of the gateway' }),
  SLIPWAY_API_PORT:                 port.default(8081).meta({ description: 'port of the management API' }),
  SLIPWAY_GATEWAY_INTERNAL_PORT:    port.default(8083).meta({ description: 'port of the gateway for health and metrics' }),
  SLIPWAY_API_INTERNAL_PORT:        port.default(8082).meta({ description: 'port of the API for health and metrics' }),
  SLIPWAY_WORKER_INTERNAL_PORT:     port.optional().meta({ description: 'port of a worker for health and metrics; unset: none' }),
  SLIPWAY_TLS_CERT:                 z.string().optional().meta({ description: 'PEM file of the certificate of the gateway with its chain; a change of the file is taken up without a restart' }),
  SLIPWAY_TLS_KEY:                  z.string().optional().meta({ description: 'PEM file of the private key of that certificate' }),
  SLIPWAY_BASE_URL:                 z.url().default('http://127.0.0.1:8080').meta({ description: 'address of the gateway as clients see it' }),
  SLIPWAY_ALLOWED_HOSTS:            list.default([]).meta({ description: 'further names that a Host header may have; addresses, localhost and the host of SLIPWAY_BASE_URL always may' }),
  SLIPWAY_LOG_LEVEL:                z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').meta({ description: 'log level' }),
  MONGODB_URI:                      mongodbUri.default('mongodb://127.0.0.1:27017').meta({ description: 'system of record', secret: true }),
  SLIPWAY_DATABASE:                 z.string().default('slipway').meta({ description: 'database name' }),
  SLIPWAY_ALLOW_PLAINTEXT:          plaintext.default([]).meta({ description: `connections that production lets be without TLS or credentials: ${PLAINTEXT.join(', ')}` }),
  STORAGE_API_ENDPOINT:             z.url().optional().meta({ description: 'server that speaks the interface of Google Cloud Storage; unset: Google Cloud Storage itself' }),
  SLIPWAY_S3_ENDPOINT:              z.url().optional().meta({ description: 'server that speaks the interface of S3, such as MinIO, for the bucket of the platform and for connections; unset: Amazon S3' }),
  SLIPWAY_AZURE_ENDPOINT:           z.url().optional().meta({ description: 'address of the account of the bucket of the platform; unset: that of Azure Blob Storage' }),
  SLIPWAY_AZURE_KEY:                z.string().optional().meta({ description: 'key of that account; unset: a token of the identity of the process', secret: true }),
  SLIPWAY_BUCKET:                   bucket.default('slipway').meta({ description: 'bucket of artifacts, workspaces, logs and records: NAME or gs://NAME, s3://NAME, az://ACCOUNT/CONTAINER' }),
  SLIPWAY_BUCKET_REGION:            z.string().refine(isRegion, 'must be a region such as eu-west-1').default('us-east-1').meta({ description: 'region of an s3 bucket of the platform' }),
  SLIPWAY_AMBIENT_BUCKETS:          buckets.default([]).meta({ description: 'buckets that connections without credentials may use with the identity of the platform, such as s3://data,az://account/data; its own bucket is always one' }),
  SLIPWAY_AMBIENT_REGISTRIES:       registries.default([]).meta({ description: 'registries or beginnings of image names that connections of type cloud-registry without credentials may use with the identity of the platform, such as europe-docker.pkg.dev/acme; its own registry is always one' }),
  SLIPWAY_RECORD_SECONDS:           seconds.default(60).meta({ description: 'age at which recorded requests are uploaded' }),
  SLIPWAY_RECORD_CONNECTION:        z.string().optional().meta({ description: 'id of the object-store connection that inference records go to; unset: SLIPWAY_BUCKET' }),
  SLIPWAY_RECORD_PREFIX:            z.string().default('').meta({ description: 'key prefix of inference records' }),
  SLIPWAY_RECORD_DAYS:              whole(1, 3_650).optional().meta({ description: 'days after which inference records are removed whose deployment has no records.retentionDays; unset: they are kept' }),
  SLIPWAY_LINEAGE_DAYS:             z.coerce.number().int().min(1).default(90).meta({ description: 'days for which a request id is found' }),
  TEMPORAL_ADDRESS:                 z.string().default('127.0.0.1:7233').meta({ description: 'Temporal server' }),
  TEMPORAL_NAMESPACE:               z.string().default('default').meta({ description: 'Temporal namespace' }),
  TEMPORAL_API_KEY:                 z.string().optional().meta({ description: 'key of Temporal Cloud', secret: true }),
  TEMPORAL_TLS:                     flag.default(false).meta({ description: 'TLS to the Temporal server' }),
  TEMPORAL_TLS_CERT:                z.string().optional().meta({ description: 'PEM file of the client certificate for the Temporal server' }),
  TEMPORAL_TLS_KEY:                 z.string().optional().meta({ description: 'PEM file of the private key of that certificate' }),
  TEMPORAL_TLS_CA:                  z.string().optional().meta({ description: 'PEM file of the authority that signed the certificate of the Temporal server' }),
  TEMPORAL_ENCRYPT_PAYLOADS:        flag.default(false).meta({ description: 'encrypt arguments, results, notes and failures in Temporal with a key that is derived from SLIPWAY_SECRET_KEY; its Web UI then shows none of them' }),
  SLIPWAY_TEMPORAL_UI_URL:          z.url().default('http://127.0.0.1:8233').meta({ description: "address of Temporal's Web UI, for links" }),
  OIDC_ISSUER:                      z.url().default('http://127.0.0.1:9000').meta({ description: 'OpenID issuer whose tokens are accepted' }),
  OIDC_AUDIENCE:                    list.default(['slipway']).meta({ description: 'accepted audiences' }),
  OIDC_ROLE_CLAIMS:                 list.default(['realm_access.roles', 'roles']).meta({ description: 'claims that carry roles' }),
  OIDC_ROLE_MAP:                    roleMap.default({}).meta({ description: 'values of these claims that give a role of the platform, such as ml-admins=admin; without it the words admin, data_scientist and viewer do' }),
  OIDC_TOKEN_SCOPES:                flag.default(true).meta({ description: 'let the claims scope and scp of a token grant scopes of /v2, beside those of its roles' }),
  DOCKER_HOST:                      z.string().default('unix:///var/run/docker.sock').meta({ description: 'container engine' }),
  DOCKER_CERT_PATH:                 z.string().optional().meta({ description: 'folder with ca.pem, cert.pem and key.pem: the container engine is reached by TLS with this client certificate' }),
  SLIPWAY_REGISTRY:                 registryUri.default('127.0.0.1:5000/slipway').meta({ description: 'uri of the connection docker-ci; below it are images, and what the platform keeps of them: bases and environments' }),
  SLIPWAY_KEPT_IMAGE_DAYS:          whole(1, 3_650).default(90).meta({ description: 'days after its last use that the registry keeps a base image, or an environment that a run made' }),
  SLIPWAY_KEPT_IMAGES:              whole(1, 100_000).default(1_000).meta({ description: 'most base images, and most environments, that the registry keeps; what runs of the last day used stays all the same' }),
  SLIPWAY_IMAGE_MIRRORS:            mapping.default({}).meta({ description: 'image references to replace, such as python:3.11-slim=mirror/python:3.11-slim' }),
  SLIPWAY_IMAGE_POLICY:             z.enum(IMAGE_POLICIES).default('warn').meta({ description: 'images that deployments run: signed, those of this installation only; warn, any with a warning in the status of others; any, unchecked' }),
  SLIPWAY_IMAGE_REGISTRIES:         registries.optional().meta({ description: 'registries or beginnings of image names that the container engine may pull and push, such as ghcr.io/acme,docker.io/library, beside SLIPWAY_REGISTRY and the images that settings name; unset: registries at public addresses' }),
  SLIPWAY_TOOLCHAIN_IMAGE:          z.string().default('slipway.local/ml-toolchain:latest').meta({ description: 'default image of ml-toolchain' }),
  SLIPWAY_BUILDER_IMAGE:            z.string().default('slipway.local/ml-toolchain:latest').meta({ description: 'image that resolves and installs Python environments' }),
  SLIPWAY_PYTHON_INDEX:             packageIndex.optional().meta({ description: 'package index of trainings and packagings, as its simple API; unset: PyPI' }),
  SLIPWAY_ALLOW_SOURCE_PACKAGES:    flag.default(false).meta({ description: 'build Python packages that have no wheel, in the container that installs them; unset: such packages are refused' }),
  SLIPWAY_SECRET_KEY:               z.string().optional().meta({ description: '32 bytes in Base64, from which the keys for stored secrets and for payloads in Temporal are derived', secret: true }),
  SLIPWAY_OLD_SECRET_KEYS:          list.default([]).meta({ description: 'earlier keys, still good for reading; slipway secrets rekey says when they may be dropped', secret: true }),
  SLIPWAY_QUEUES:                   list.default([...Object.keys(QUEUES)]).meta({ description: 'task queues that a worker polls' }),
  SLIPWAY_SLOTS:                    slots.default({}).meta({ description: 'activities that a worker runs at once, by queue, such as packaging=4' }),
  SLIPWAY_TARGET_USAGE:             share.optional().meta({ description: 'share of memory and processors, such as 0.8, above which a worker begins no further activity of packaging; unset: all slots are used at any load' }),
  SLIPWAY_POLLERS:                  whole(2, 100).default(10).meta({ description: 'open polls of a worker for each queue, for activities and for workflows' }),
  SLIPWAY_WORKFLOW_CACHE:           whole(2, 100_000).optional().meta({ description: 'workflows that a worker keeps in memory for each queue; unset: by the size of the heap' }),
  SLIPWAY_WORKER_VERSIONING:        flag.default(false).meta({ description: 'let Temporal send tasks only to workers of the current build; a worker that starts makes its build the current one' }),
  SLIPWAY_LOCAL_REPOSITORIES:       list.default([]).meta({ description: 'folders under which a git connection may name a local path' }),
  SLIPWAY_OUTBOUND_NETWORKS:        networks.optional().meta({ description: 'private ranges that git and image registries may be in, such as 10.1.0.0/16,fd00::/8; unset: loopback, and none in production' }),
  SLIPWAY_SSH_FIRST_USE:            flag.default(false).meta({ description: 'accept the host key of an ssh server whose connection has no publicKey' }),
  SLIPWAY_NODE_POOLS:               nodePools.default([]).meta({ description: 'JSON list of node selectors' }),
  SLIPWAY_FEEDBACK:                 flag.default(true).meta({ description: 'record requests, responses and feedback' }),
  SLIPWAY_UNRECORDED_HEADERS:       list.default([]).meta({ description: 'headers that records leave out, beside those of credentials and persons' }),
  SLIPWAY_WEBHOOK_PRIVATE:          flag.default(false).meta({ description: 'let webhooks go anywhere, for development: private and loopback addresses, http, any port' }),
  SLIPWAY_WEBHOOK_NETWORKS:         networks.default([]).meta({ description: 'private ranges that webhooks may go to, such as 10.1.0.0/16,fd00::/8' }),
  SLIPWAY_WEBHOOK_HTTP:             flag.default(false).meta({ description: 'let subscriptions and `notify` of pipelines have http addresses' }),
  SLIPWAY_WEBHOOK_PORTS:            ports.default([443, 8443]).meta({ description: 'ports that addresses of subscriptions and of `notify` may have' }),
  SLIPWAY_WEBHOOK_HOST_RATE:        z.coerce.number().int().min(1).max(100_000).default(1_000).meta({ description: 'deliveries a second that one worker starts at one host, for all subscriptions together' }),
  SLIPWAY_WEBHOOK_HOST_CONCURRENCY: z.coerce.number().int().min(1).max(10_000).default(100).meta({ description: 'deliveries that one worker has in flight at one host, for all subscriptions together' }),
  SLIPWAY_EGRESS_NETWORKS:          networks.default([]).meta({ description: 'private ranges that trainings, installations of packages and deployments with egress internet may connect to, such as 10.1.0.0/16: those of a package index or a data store' }),
  SLIPWAY_EGRESS_CHECK:             z.enum(['refuse', 'warn']).default('refuse').meta({ description: 'when a container can reach the host or a private address: refuse to start containers, or only warn, for development on a container engine of your own' }),
  SLIPWAY_DELETE_PROTECTION:        flag.default(true).meta({ description: 'refuse to delete a connection in use' }),
  SLIPWAY_DISABLED_GROUPS:          groups.default([]).meta({ description: `groups of the management API that take no changes: ${API_GROUPS.join(', ')}` }),
  SLIPWAY_MAX_DEPLOYMENT_ID_LENGTH: z.coerce.number().int().min(1).max(63).default(63).meta({ description: 'longest deployment id' }),
  SLIPWAY_TRAINING_TIMEOUT:         seconds.default(14_400).meta({ description: 'limit of a training, in seconds' }),
  SLIPWAY_MAX_TRAININGS:            z.coerce.number().int().min(1).default(32).meta({ description: 'trainings whose programs run at once on the container engine; more wait' }),
  SLIPWAY_BATCH_TIMEOUT:            seconds.default(14_400).meta({ description: 'limit of a batch job, in seconds' }),
  SLIPWAY_MAX_BATCH_JOBS:           z.coerce.number().int().min(1).default(32).meta({ description: 'batch jobs whose programs run at once on the container engine; more wait' }),
  SLIPWAY_LOG_LIMIT_MIB:            z.coerce.number().positive().max(4_096).default(256).meta({ description: 'output of user code that one log keeps, of a run or of a replica; further lines are dropped' }),
  SLIPWAY_LOG_DAYS:                 whole(1, 3_650).optional().meta({ description: 'days after which the log of a run that ended, and those of earlier generations of a deployment, are removed; unset: a log goes with its resource' }),
  SLIPWAY_MAX_REPLICAS:             whole(1, 10_000).default(100).meta({ description: 'most replicas of one deployment' }),
  SLIPWAY_SCALE_SECONDS:            seconds.default(60).meta({ description: 'window over which the calls at a deployment decide its number of replicas, in seconds; a jump of calls is seen within a tenth of it' }),
  SLIPWAY_PAUSE_SECONDS:            seconds.default(60).meta({ description: 'time without a call after which the last replica of a deployment with minReplicas 0 is paused, in seconds' }),
  SLIPWAY_STOP_SECONDS:             seconds.default(600).meta({ description: 'time after which a paused replica is stopped, in seconds' }),
  SLIPWAY_PAUSED_GIB:               z.coerce.number().min(0).max(16_384).default(4).meta({ description: 'memory that the paused replicas of one worker may hold; beyond it, the one that was paused first is stopped' }),
  SLIPWAY_GUARD_SECONDS:            whole(0, 86_400).default(60).meta({ description: 'how long the replicas of the revision before are kept after an update without rollout: when the new revision collapses in this time, traffic goes back to them; in seconds, 0: not at all' }),
  SLIPWAY_WAKE_PORT:                port.default(0).meta({ description: 'port of a worker at which gateways ask for a replica of a deployment that is paused or stopped, on SLIPWAY_INTERNAL_HOST; 0: any free one' }),
  SLIPWAY_QUEUE_SECONDS:            seconds.default(30).meta({ description: 'longest wait of a call for a replica, in seconds' }),
  SLIPWAY_MAX_CPU:                  positiveQuantity.default('64').meta({ description: 'largest cpu limit of one container' }),
  SLIPWAY_MAX_MEMORY:               positiveQuantity.default('512Gi').meta({ description: 'largest memory limit of one container' }),
  SLIPWAY_OWNER_QUOTA:              amounts.default({}).meta({ description: `what one owner may hold at once, such as jobs=20,cpu=32; what is left out has ${pairsOf(DEFAULT_QUOTAS.owner)}` }),
  SLIPWAY_QUOTA:                    amounts.default({}).meta({ description: `what all owners may hold at once; what is left out has ${pairsOf(DEFAULT_QUOTAS.installation)}` }),
  SLIPWAY_MAX_WORKSPACE_GIB:        z.coerce.number().positive().max(16_384).default(20).meta({ description: 'source and data of one training together, which a worker brings to its disk' }),
  SLIPWAY_MAX_JOB_DISK_GIB:         z.coerce.number().positive().max(16_384).default(50).meta({ description: 'files of one training in its container: its source, its data and what its program writes' }),
  SLIPWAY_MAX_IMPORT_MIB:           z.coerce.number().positive().max(1_048_576).default(10_240).meta({ description: 'largest upload of one import of reference data' }),
  SLIPWAY_PACKAGING_TIMEOUT:        seconds.default(14_400).meta({ description: 'limit of a packaging, in seconds' }),
  SLIPWAY_READY_TIMEOUT:            seconds.default(60).meta({ description: 'time a replica has to get ready, in seconds' }),
  SLIPWAY_SWEEP_SECONDS:            z.coerce.number().int().min(1).default(60).meta({ description: 'seconds between two rounds of repair, and between two checks of triggers' }),
  SLIPWAY_API_RATE:                 z.coerce.number().int().positive().default(1_000).meta({ description: 'requests a second that one caller may make of the management API, on average' }),
  SLIPWAY_MAX_LOG_FOLLOWS:          whole(1, 10_000).default(50).meta({ description: 'logs that one caller may follow at once, in each API process' }),
  SLIPWAY_DATA_RATE:                z.coerce.number().int().positive().default(200).meta({ description: 'requests a second that one client may make of reference data, on average' }),
  SLIPWAY_DATA_ORIGINS:             origins.default([]).meta({ description: 'origins whose pages may call reference data with any credential (CORS), such as https://intranet.example.com; a key may name further ones for itself' }),
  SLIPWAY_BUILT_IN_DATASETS:        flag.default(true).meta({ description: 'declare the datasets locations, positions and skills, empty, at the first start; one that was deleted is not declared again' }),
  SLIPWAY_MAX_KEY_DAYS:             whole(1, 3_650).optional().meta({ description: 'days after which an API key ends, also one that was issued before; unset: no limit' }),
  SLIPWAY_MAX_CONNECTIONS:          whole(1, 1_000_000).default(10_000).meta({ description: 'open connections of a gateway; further ones are closed' }),
  SLIPWAY_BODY_SECONDS:             seconds.default(60).meta({ description: 'time that the body of an inference request may take to arrive, in seconds' }),
  SLIPWAY_BODY_LIMIT_MIB:           z.coerce.number().positive().max(1_024).default(32).meta({ description: 'largest body of an inference request' }),
});
export type Settings = z.infer<typeof Settings>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the command line client: they may stand in the same environment, and are no settings of a server. */
const CLIENT_VARIABLES = [
  'SLIPWAY_SERVER',
  'SLIPWAY_CLIENT_ID',
  'SLIPWAY_CLIENT_SECRET',
  'SLIPWAY_TOKEN',
  'SLIPWAY_CONFIG',
] as const;

/** @throws validation_failed with one sentence per bad or unknown variable */
export function parseSettings(environment: Environment): Settings {
  const known = new Set<string>([...Object.keys(Settings.shape), ...CLIENT_VARIABLES]);
  const unknown = Object.keys(environment).filter((name) => name.startsWith('SLIPWAY_') && !known.has(name));
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name in Settings.shape && value),
  );
  const result = Settings.safeParse(given);
  const problems = [
    ...unknown.map((name) => `${name} is not a setting; "slipway config" lists them all`),
    ...(result.error?.issues ?? []).map((issue) => `${issue.path.join('.')} is not valid: ${issue.message}`),
  ];
  if (!result.success || problems.length > 0) throw new SlipwayError('validation_failed', problems.join('\n'));
  return result.data;
}
