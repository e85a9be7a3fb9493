import { DEPLOYMENT_STATES } from '../../lifecycle/kinds/deployment-state.js';
import { TRIGGERS } from '../../lifecycle/kinds/pipeline-trigger.js';
import { REASONS } from '../../platform/kinds/reasons.js';
import { RUN_STATES } from '../../platform/kinds/run-status.js';
import { integer, oneOf, text, time } from './data-fields.js';
import type { EventFamily } from './event-family.js';
import { EXAMPLE_TIME } from './example-row.js';

const METRICS = {
  metrics: { type: 'object', additionalProperties: { type: 'number' }, description: 'What the training logged.' },
} as const;

/** What every event of a stored resource has. `version` rises with every write, `generation` with every new spec. */
const RESOURCE = { kind: text(true), id: text(true), version: integer(true), generation: integer(true) };
const WHY = { reason: oneOf(Object.keys(REASONS)), message: text() };
const RUN = {
  ...RESOURCE,
  state: oneOf(RUN_STATES),
  ...WHY,
  started_at: time(),
  finished_at: time(),
  created_by: text(),
};
const MODEL = { model_name: text(), model_version: text() };

const FAILED = { state: 'failed', reason: 'ToolchainFailed', message: 'the program ended with code 1' };
const CANCELLED = { state: 'failed', reason: 'Cancelled', message: 'canceled by ana' };
const done = { state: 'succeeded', finished_at: EXAMPLE_TIME };
const run = { version: 5, generation: 1, state: 'running', started_at: EXAMPLE_TIME, created_by: 'ana' };

const endsOf = (what: string) => ({
  started: { description: `The work of a ${what} began.` },
  succeeded: { description: `A ${what} succeeded.`, data: done },
  failed: { description: `A ${what} failed: reason and message say why.`, data: FAILED },
  cancelled: { description: `A ${what} was canceled.`, data: CANCELLED },
});

/** Events of the stream `pipeline`: transitions of trainings, packagings, deployments, pipelines, their runs and schedules. */
export const PIPELINE_FAMILIES: readonly EventFamily[] = [
  {
    name: 'pipeline.training',
    fields: { ...RUN, ...MODEL, artifact_name: text(), commit: text() },
    more: METRICS,
    example: {
      source: '/api/v1/model/training',
      subject: 'training/wine-3',
      data: { kind: 'ModelTraining', id: 'wine-3', ...run, model_name: 'wine', model_version: '3' },
    },
    types: endsOf('training'),
  },
  {
    name: 'pipeline.packaging',
    fields: { ...RUN, artifact_name: text(), image: text() },
    example: {
      source: '/api/v1/model/packaging',
      subject: 'packaging/wine-3',
      data: { kind: 'ModelPackaging', id: 'wine-3', ...run, artifact_name: 'wine-3.zip' },
    },
    types: endsOf('packaging'),
  },
  {
    name: 'pipeline.run',
    fields: {
      ...RUN,
      ...MODEL,
      pipeline: text(),
      number: integer(),
      trigger: oneOf(TRIGGERS),
      commit: text(),
      image: text(),
    },
    more: METRICS,
    example: {
      source: '/api/v1/model/pipeline',
      subject: 'run/wine-3',
      data: { kind: 'PipelineRun', id: 'wine-3', ...run, pipeline: 'wine', number: 3, trigger: 'feedback' },
    },
    types: {
      ...endsOf('run of a pipeline'),
      waiting: { description: 'A run of a pipeline waits for a person to approve it.' },
    },
  },
  {
    name: 'pipeline.deployment',
    fields: {
      ...RESOURCE,
      state: oneOf(DEPLOYMENT_STATES),
      ...WHY,
      ...MODEL,
      image: text(),
      replicas: integer(),
      available_replicas: integer(),
      created_by: text(),
    },
    example: {
      source: '/api/v1/model/deployment',
      subject: 'deployment/wine',
      data: {
        ...{ kind: 'ModelDeployment', id: 'wine', version: 4, generation: 2, state: 'Ready', created_by: 'ana' },
        ...{
          image: 'registry.example/wine:3',
          replicas: 2,
          available_replicas: 2,
          model_name: 'wine',
          model_version: '3',
        },
      },
    },
    types: {
      created: { description: 'A deployment was created.', data: { state: 'Processing', available_replicas: 0 } },
      ready: { description: 'All replicas of a deployment answer; also after a change of its image.' },
      degraded: {
        description: 'A deployment that was ready lost replicas.',
        data: { state: 'Processing', available_replicas: 1 },
      },
      failed: {
        description: 'A deployment failed; an earlier generation may serve on.',
        data: { state: 'Failed', reason: 'CrashLoop', message: 'the container ends with code 1' },
      },
      deleted: { description: 'A deployment is gone.' },
    },
  },
  {
    name: 'pipeline.definition',
    fields: { ...RESOURCE, pipeline: text() },
    example: {
      source: '/api/v1/model/pipeline',
      subject: 'pipeline/wine',
      data: { kind: 'ModelPipeline', id: 'wine', version: 1, generation: 1, pipeline: 'wine' },
    },
    types: {
      created: { description: 'A pipeline was created.' },
      deleted: { description: 'A pipeline is gone.' },
    },
  },
  {
    name: 'pipeline.schedule',
    fields: { kind: text(true), id: text(true), version: integer(), run: text(), by: text(), note: text() },
    example: {
      source: '/api/v1/model/pipeline',
      subject: 'schedule/wine',
      data: { kind: 'ModelPipeline', id: 'wine', version: 7 },
    },
    types: {
      run_started: { description: 'A schedule made a run of its pipeline.', data: { run: 'wine-3' } },
      run_skipped: {
        description: 'A schedule made no run, since one was going on.',
        data: { note: 'run wine-2 goes on' },
      },
      paused: { description: 'Somebody halted a schedule.', data: { by: 'ana', note: 'until the data are mended' } },
      resumed: { description: 'A schedule that was halted goes on.' },
    },
  },
];
