import type { Rules } from '../../../lifecycle/validation/validation.js';
import { acceptPipeline } from '../../../lifecycle/validation/pipeline-validation.js';
import { installation, refusal } from './installation.js';

const CONNECTIONS = {
  code: { type: 'git', uri: 'https://example.org/code.git', reference: 'main' },
  samples: { type: 'gcs', uri: 'gs://samples' },
};

/** The whole way from a commit to a deployment. */
export const PIPELINE = {
  parameters: { alpha: '0.5' },
  version: '1.{{ run }}',
  training: {
    model: { name: 'wine', version: '{{ version }}' },
    toolchain: 'ml-toolchain',
    algorithmSource: { vcs: { connection: 'code' } },
    hyperParameters: { alpha: '{{ parameters.alpha }}' },
  },
  packaging: { integrationName: 'container-rest', targets: [{ name: 'container-push', connectionName: 'docker-ci' }] },
  deployment: { id: 'wine', spec: { predictor: 'platform-ml-server' } },
};

export const accept = (changed: object = {}, id: unknown = 'wine', rules: Partial<Rules> = {}) =>
  acceptPipeline({ id, spec: { ...PIPELINE, ...changed } }, installation({ connections: CONNECTIONS, rules }));

/** The refusal of a pipeline that differs from the good one by `changed`, as a client reads it. */
export async function issues(changed: object, id?: unknown, rules?: Partial<Rules>): Promise<string> {
  const message = await refusal(accept(changed, id, rules));
  return message.replace(/^Validation of model pipeline is failed: /, '');
}
