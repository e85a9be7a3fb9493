import type { Entity, Kind } from './kinds.js';

export type Outcome = 'pending' | 'succeeded' | 'failed';

/** How far an entity has come: a wait ends with anything but `pending`. Kinds without a run are as good as they get. */
export function outcomeOf(entity: Entity): Outcome {
  switch (entity.kind) {
    case 'ModelTraining':
    case 'ModelPackaging':
    case 'InferenceJob':
    case 'PipelineRun':
      return entity.status.state === 'succeeded' || entity.status.state === 'failed' ? entity.status.state : 'pending';
    case 'ModelDeployment': {
      const { state, availableReplicas } = entity.status;
      if (state === 'Failed' || state === 'Deleting') return 'failed';
      const { minReplicas, suspended } = entity.spec;
      return state === 'Ready' && (suspended || availableReplicas >= minReplicas) ? 'succeeded' : 'pending';
    }
    case 'ModelRoute':
      return entity.status.state === 'Ready' ? 'succeeded' : 'pending';
    case 'Connection':
    case 'ToolchainIntegration':
    case 'PackagingIntegration':
    case 'ModelPipeline':
    case 'Dataset':
    case 'ApiKey':
    case 'Subscription':
    case 'Watch':
    case 'InferenceService':
      return 'succeeded';
  }
}

/** The state that lists show; empty for kinds without one. */
export const stateOf = ({ status }: Entity): string => ('state' in status ? status.state : '');

/** Whether the kind has anything to wait for. */
export const hasRun = (kind: Kind): boolean => WITH_RUN.includes(kind);

const WITH_RUN: readonly Kind[] = [
  'ModelTraining',
  'ModelPackaging',
  'InferenceJob',
  'ModelDeployment',
  'ModelRoute',
  'PipelineRun',
];
