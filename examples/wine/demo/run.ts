import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Platform, startPlatform } from '../../../workers/compose/platform.js';
import { createGcsObjects } from '../../../platform/stores/gcs-objects.js';
import { type Client, createClient, type Entity, fetchToken } from './client.js';
import { printAddresses, untilInterrupted } from './look-around.js';
import { createRepository } from './repository.js';
import { askStandalone } from './standalone.js';
import { createSteps, say } from './steps.js';

export interface DemoOptions {
  /** Leaves the platform running at the end. */
  keep: boolean;
  environment: NodeJS.ProcessEnv;
}

/** Two sets of hyper-parameters; the better model goes on. */
const CANDIDATES = [
  { alpha: '0.1', l1_ratio: '0.5' },
  { alpha: '0.01', l1_ratio: '0.5' },
];

/** Train, package, deploy, invoke, feedback: the main job on real data, through the public interfaces alone. */
export async function runDemo({ keep, environment }: DemoOptions): Promise<void> {
  const steps = createSteps();
  const stateDir = environment.SLIPWAY_STATE_DIR ?? '.slipway';
  const repository = join(resolve(stateDir), 'demo', 'repository');
  const run = Date.now().toString(36);

  const platform = await steps.step('start the platform', () =>
    startPlatform({
      environment: {
        ...environment,
        SLIPWAY_LOCAL_REPOSITORIES: join(resolve(stateDir), 'demo'),
        SLIPWAY_RECORD_SECONDS: '2',
      },
      report: say,
    }),
  );
  try {
    const { SLIPWAY_BASE_URL: baseUrl, OIDC_ISSUER: issuer } = platform.settings;
    const client = await steps.step('log in', async () =>
      createClient({ baseUrl, token: await fetchToken(issuer, 'demo-scientist', 'demo-scientist-secret') }),
    );
    await steps.step('commit the model project', async () => {
      const commit = await createRepository(repository);
      const admin = createClient({ baseUrl, token: await fetchToken(issuer, 'demo-admin', 'demo-admin-secret') });
      await admin.create('/connection', `wine-code-${run}`, { type: 'git', uri: repository, reference: 'main' });
      say(`commit ${commit} in ${repository}`);
    });
    const best = await steps.step('train two candidates', () => train(client, run));
    const image = await steps.step('package the better one', () => pack(client, run, best));
    const id = await steps.step('deploy it', () => deploy(client, run, image));
    const { sample, headers, prediction } = await steps.step('invoke it', () => invoke(client, id));
    await steps.step('ask the same image on its own', async () => {
      const alone = await askStandalone(platform.settings.DOCKER_HOST, image, sample);
      requireEqual(prediction, alone);
      say('the answers are equal');
    });
    await steps.step('send feedback', () => sendFeedback(client, headers));
    await steps.step('list the stored records', () => listRecords(platform, modelName(run)));
    steps.printTimes();
    printAddresses(platform);
  } catch (err) {
    // The platform stays up, so that a person can look for the cause: it is printed now, not after Ctrl-C.
    if (keep) console.error(`\n${err instanceof Error ? err.message : String(err)}`);
    throw err;
  } finally {
    if (keep) await untilInterrupted(platform);
    else await platform.stop();
  }
}

const modelName = (run: string): string => `wine-${run}`;

async function train(client: Client, run: string): Promise<Entity> {
  const ids = CANDIDATES.map((_, index) => `wine-${run}-${index + 1}`);
  for (const [index, hyperParameters] of CANDIDATES.entries()) {
    await client.create('/model/training', ids[index] ?? '', {
      model: { name: modelName(run), version: `1.${index}` },
      toolchain: 'ml-toolchain',
      entrypoint: 'main',
      workDir: 'wine',
      algorithmSource: { vcs: { connection: `wine-code-${run}` } },
      hyperParameters,
    });
  }
  const trained = await Promise.all(ids.map((id) => client.wait('/model/training', id)));
  for (const [index, { status }] of trained.entries()) {
    const metrics = Object.entries(status.metrics ?? {}).map(([name, value]) => `${name} ${value.toFixed(4)}`);
    say(`${JSON.stringify(CANDIDATES[index])}: ${metrics.join(', ')} -> ${status.artifactName}`);
  }
  return trained.reduce((best, next) => (rmse(next) < rmse(best) ? next : best));
}

const rmse = ({ status }: Entity): number => status.metrics?.rmse ?? Infinity;

async function pack(client: Client, run: string, { status }: Entity): Promise<string> {
  const id = `wine-${run}`;
  await client.create('/model/packaging', id, {
    artifactName: status.artifactName,
    integrationName: 'container-rest',
    targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
  });
  const { status: packed } = await client.wait('/model/packaging', id);
  const image = packed.results?.[0]?.value ?? '';
  say(image);
  return image;
}

async function deploy(client: Client, run: string, image: string): Promise<string> {
  const id = `wine-${run}`;
  await client.create('/model/deployment', id, { image, predictor: 'platform-ml-server', minReplicas: 1 });
  await client.wait('/model/deployment', id);
  return id;
}

interface Prediction {
  prediction: number[];
  columns: string[];
}

async function invoke(client: Client, id: string) {
  const { body: info } = await client.call<Info>('GET', `/model/${id}/api/model/info`);
  const sample = info.paths['/api/model/invoke']?.post.requestBody.content['application/json'].example;
  const { body, headers } = await client.call<Prediction>('POST', `/model/${id}/api/model/invoke`, sample);
  say(`prediction ${JSON.stringify(body.prediction)}`);
  say(`request-id ${headers.get('request-id')}, model ${headers.get('model-name')} ${headers.get('model-version')}`);
  return { sample, headers, prediction: body };
}

/** The part of the model's OpenAPI document that holds its sample. */
interface Info {
  paths: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { example: unknown } } } } } | undefined
  >;
}

function requireEqual(one: Prediction, other: unknown): void {
  const { prediction } = other as Prediction;
  const same = one.prediction.every((value, index) => Math.abs(value - (prediction[index] ?? NaN)) <= 1e-9);
  if (!same) throw new Error(`the answers differ: ${JSON.stringify(one.prediction)} and ${JSON.stringify(prediction)}`);
}

/** The headers of a prediction say what the feedback is about. */
async function sendFeedback(client: Client, answered: Headers): Promise<void> {
  const about = (name: string): string => answered.get(name) ?? '';
  const headers = {
    'x-model-name': about('model-name'),
    'x-model-version': about('model-version'),
    'request-id': about('request-id'),
  };
  const { body } = await client.call<unknown>('POST', '/feedback/model/', { alcohol: 13.2 }, headers);
  say(JSON.stringify(body));
}

async function listRecords({ settings }: Platform, name: string): Promise<void> {
  const { STORAGE_API_ENDPOINT: apiEndpoint, SLIPWAY_BUCKET: bucket } = settings;
  const objects = createGcsObjects({ apiEndpoint, bucket });
  const deadline = Date.now() + 30_000;
  const wanted = ['request_response', 'response_body', 'feedback'];
  for (const tag of wanted) {
    for (;;) {
      const found = [];
      for await (const { key, sizeBytes } of objects.list(`${tag}/${name}/`)) found.push(`${key} (${sizeBytes} bytes)`);
      found.forEach((line) => say(line));
      if (found.length > 0) break;
      if (Date.now() > deadline) throw new Error(`no record under ${tag}/${name}/ within 30 s`);
      await sleep(500);
    }
  }
}
