import type { TestPlatform } from './platform.js';
import { until } from './until.js';

/** Waits as many seconds as its parameter says, and logs them as the metric "answer". */
export const PAUSING_MODEL = `
import sys, time
print("begun", flush=True)
time.sleep(float(sys.argv[1]))
import mlflow, pandas
from sklearn.linear_model import LinearRegression
x = pandas.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
with mlflow.start_run():
    mlflow.log_metric("answer", float(sys.argv[1]))
    fitted = LinearRegression().fit(x, 2 * x["x"] + 1)
    mlflow.sklearn.log_model(fitted, name="model", input_example=x.head(2), pip_requirements=["scikit-learn"])
`;

/** Waits until a file in its workspace lets it go on, for tests that hold a training where they need it. */
export const HELD_MODEL = `
import os, sys, time
print("begun", flush=True)
while not os.path.exists("/workspace/go"): time.sleep(0.1)
import mlflow, pandas
from sklearn.linear_model import LinearRegression
x = pandas.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
with mlflow.start_run():
    fitted = LinearRegression().fit(x, 2 * x["x"] + 1)
    mlflow.sklearn.log_model(fitted, name="model", input_example=x.head(2), pip_requirements=["scikit-learn"])
`;

export const PIPELINES = '/api/v1/model/pipeline';

export interface RunView {
  id: string;
  generation: number;
  spec: { number: number; trigger: { type: string; at: string; by?: string; message?: string } };
  status: {
    state: string;
    reason?: string;
    message?: string;
    image?: string;
    imageDigest?: string;
    steps: { name: string; state: string; child?: string; reusedFrom?: string; reuseMiss?: string }[];
    deployed?: { generation: number };
  };
}

/**
 * A pipeline from training to a deployment of the pipeline's own name.
 * @param model pipelines with one model name reuse each other's trainings of equal parameters
 */
export function pipelineSpec(id: string, connection: string, more: object = {}, model = id): object {
  return {
    parameters: { pause: '0', memory: '512Mi' },
    version: '1.{{ run }}',
    training: {
      model: { name: model, version: '{{ version }}' },
      toolchain: 'ml-toolchain',
      algorithmSource: { vcs: { connection } },
      hyperParameters: { pause: '{{ parameters.pause }}' },
    },
    packaging: {
      integrationName: 'container-rest',
      targets: [{ name: 'container-push', connectionName: 'docker-ci' }],
    },
    deployment: {
      id,
      spec: {
        predictor: 'platform-ml-server',
        minReplicas: 1,
        resources: {
          requests: { cpu: '100m', memory: '16Mi' },
          limits: { cpu: '1', memory: '{{ parameters.memory }}' },
        },
      },
    },
    ...more,
  };
}

/** The operations of a test on the pipelines of a platform. */
export function pipelinesOf(platform: TestPlatform) {
  const { admin } = platform;
  const read = async (id: string, number: number): Promise<RunView> =>
    (await admin.call<RunView>('GET', `${PIPELINES}/${id}/run/${number}`)).body;
  return {
    read,
    start: async (id: string, parameters: Record<string, string> = {}): Promise<RunView> =>
      (await admin.call<RunView>('POST', `${PIPELINES}/${id}/run`, { parameters })).body,
    cancel: (id: string, number: number) => admin.call('POST', `${PIPELINES}/${id}/run/${number}/cancel`),
    untilOver: (id: string, number: number, seconds = 240): Promise<RunView> =>
      until(
        `run ${number} of ${id} to end`,
        async () => {
          // While the database or the API is away there is nothing to see.
          const run = await read(id, number).catch(() => undefined);
          return run && ['succeeded', 'failed'].includes(run.status.state) && run;
        },
        { seconds },
      ),
    /** Waits until a step of the run is under way. */
    untilIn: (id: string, number: number, name: string): Promise<unknown> =>
      until(
        `run ${number} of ${id} to reach ${name}`,
        async () => (await read(id, number).catch(() => undefined))?.status.steps.some((step) => step.name === name),
        { seconds: 400, pollMs: 50 },
      ),
    imageOf: async (id: string): Promise<string> =>
      (await admin.call<{ spec: { image: string } }>('GET', `/api/v1/model/deployment/${id}`)).body.spec.image,
    /** Artifacts of a model in the platform's bucket. */
    async artifactsOf(model: string, major = 1): Promise<string[]> {
      const found: string[] = [];
      for await (const { key } of platform.objects.list(`${model}-${major}.`))
        if (key.endsWith('.zip')) found.push(key);
      return found;
    },
  };
}
