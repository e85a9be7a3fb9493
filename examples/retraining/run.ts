import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { startPlatform } from '../../workers/compose/platform.js';
import { type Client, createClient, fetchToken } from '../wine/demo/client.js';
import { printAddresses, untilInterrupted } from '../wine/demo/look-around.js';
import { createSteps, say } from '../wine/demo/steps.js';
import { createRepository } from './repository.js';
import { readWines, type Wine } from './wines.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** As train.py counts: known from the start, and then one by one by feedback. */
const KNOWN = 33;
const LABELED = 100;

interface Run {
  id: string;
  spec: { number: number; trigger: { type: string; message?: string } };
  status: {
    state: string;
    reason?: string;
    message?: string;
    metrics?: Record<string, number>;
    steps: { name: string; state: string; startedAt: string; finishedAt?: string; reusedFrom?: string }[];
    gates: { passed: boolean; message: string }[];
  };
}

export interface RetrainingOptions {
  /** Leaves the platform running at the end. */
  keep: boolean;
  environment: NodeJS.ProcessEnv;
}

/** Train, serve, learn from feedback, refuse what is worse: through the public interfaces alone. */
export async function runRetraining({ keep, environment }: RetrainingOptions): Promise<void> {
  const steps = createSteps();
  const stateDir = resolve(environment.SLIPWAY_STATE_DIR ?? '.slipway');
  const repository = join(stateDir, 'retraining', 'repository');
  const id = `wine-${Date.now().toString(36)}`;
  const platform = await steps.step('start the platform', () =>
    startPlatform({
      environment: {
        ...environment,
        SLIPWAY_LOCAL_REPOSITORIES: join(stateDir, 'retraining'),
        // A person who watches does not want to wait minutes for records and triggers.
        SLIPWAY_RECORD_SECONDS: '2',
        SLIPWAY_SWEEP_SECONDS: '5',
      },
      report: say,
    }),
  );
  try {
    const { SLIPWAY_BASE_URL: baseUrl, OIDC_ISSUER: issuer } = platform.settings;
    const login = async (who: string) =>
      createClient({ baseUrl, token: await fetchToken(issuer, `demo-${who}`, `demo-${who}-secret`) });
    const client = await login('scientist');
    await steps.step('store the code and the pipeline', async () => {
      await createRepository(repository);
      const connection = `${id}-code`;
      await (await login('admin')).create('/connection', connection, { type: 'git', uri: repository });
      await client.create('/model/pipeline', id, await pipelineSpec(id, connection));
      const { body } = await client.call<{ next: string[] }>('GET', `/api/v1/model/pipeline/${id}/schedule`);
      say(`the schedule runs next at ${body.next.slice(0, 3).join(', ')}`);
    });
    const wines = await readWines(join(FOLDER, 'model', 'wines.csv'));
    await steps.step(`run 1: what ${KNOWN} wines teach`, async () => {
      await client.call('POST', `/api/v1/model/pipeline/${id}/run`);
      await show(client, id, 1, 'succeeded');
    });
    await steps.step(`predict ${LABELED} wines, and send their measured values as feedback`, () =>
      predictAndLabel(client, id, wines.slice(KNOWN, KNOWN + LABELED)),
    );
    await steps.step('run 2: starts by itself, and learns from the feedback', () => show(client, id, 2, 'succeeded'));
    await steps.step('run 3: a worse parameter', async () => {
      await client.call('POST', `/api/v1/model/pipeline/${id}/run`, { parameters: { alpha: 10 } });
      await show(client, id, 3, 'failed');
    });
    await steps.step('what serves', async () => {
      const { headers } = await client.call('POST', `/model/${id}/api/model/invoke`, requestOf(wines.slice(-1)));
      say(`model ${headers.get('model-name')}, version ${headers.get('model-version')}`);
    });
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

/** The manifest, with a name of its own so that the example can run again. */
async function pipelineSpec(id: string, connection: string): Promise<object> {
  const text = await readFile(join(FOLDER, 'pipeline.yaml'), 'utf8');
  const named = text.replaceAll(/: wine-code$/gm, `: ${connection}`).replaceAll(/: wine$/gm, `: ${id}`);
  return (parse(named) as { spec: object }).spec;
}

const requestOf = (wines: Wine[]): object => ({
  columns: Object.keys(wines[0]?.measured ?? {}),
  data: wines.map(({ measured }) => Object.values(measured)),
});

async function predictAndLabel(client: Client, id: string, wines: Wine[]): Promise<void> {
  const errors: number[] = [];
  for (const wine of wines) {
    const { body, headers } = await client.call<{ prediction: number[] }>(
      'POST',
      `/model/${id}/api/model/invoke`,
      requestOf([wine]),
    );
    errors.push(Math.abs((body.prediction[0] ?? NaN) - wine.alcohol));
    const about = (name: string): string => headers.get(name) ?? '';
    const names = { 'x-model-name': about('model-name'), 'x-model-version': about('model-version') };
    const named = { ...names, 'request-id': about('request-id') };
    await client.call('POST', '/feedback/model/', { alcohol: wine.alcohol }, named);
  }
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  say(`${wines.length} predictions, off by ${mean.toFixed(3)} on average; ${wines.length} labels sent`);
}

/** Follows a run to its end, a line per step. @throws when it ends otherwise */
async function show(client: Client, id: string, number: number, expected: string): Promise<void> {
  const shown = new Set<string>();
  for (;;) {
    const path = `/api/v1/model/pipeline/${id}/run/${number}`;
    // The run of a trigger is not there yet.
    const run = await client.call<Run>('GET', path).then(
      ({ body }) => body,
      () => undefined,
    );
    if (run) showSteps(run, shown);
    if (run && ['succeeded', 'failed'].includes(run.status.state)) {
      const { state, reason, message, metrics = {} } = run.status;
      say(`started by ${run.spec.trigger.type}${run.spec.trigger.message ? `: ${run.spec.trigger.message}` : ''}`);
      say(
        Object.entries(metrics)
          .map(([name, value]) => `${name} ${value.toFixed(4)}`)
          .join(', '),
      );
      run.status.gates.forEach((gate) => say(`${gate.passed ? 'passed' : 'refused'}: ${gate.message}`));
      say(`${run.id} ${state}${reason ? `, ${reason}` : ''}`);
      if (state === expected) return;
      throw new Error(`run ${run.id} ended as ${state}: ${message}`);
    }
    await sleep(500);
  }
}

function showSteps({ status }: Run, shown: Set<string>): void {
  for (const { name, state, startedAt, finishedAt, reusedFrom } of status.steps) {
    if (finishedAt === undefined || shown.has(name)) continue;
    shown.add(name);
    const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000;
    say(`${name.padEnd(10)} ${state} ${seconds.toFixed(1)} s${reusedFrom ? `, reused from ${reusedFrom}` : ''}`);
  }
}
