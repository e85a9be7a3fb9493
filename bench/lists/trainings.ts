import { randomUUID } from 'node:crypto';
import { freshTraining, type Training, TrainingSpec } from '../../lifecycle/kinds/training.js';
import type { Revision } from '../../platform/stores/resource-log.js';

const STATES = ['succeeded', 'failed', 'running', 'unknown'] as const;

/** The training of a number, as a client and a finished run leave it: about 2 kB of JSON. */
export function trainingOf(number: number): Training {
  const at = new Date(Date.UTC(2026, 0, 1) + number * 1_000);
  const name = `model-${number % 500}`;
  const artifactName = `${name}-${number}-${randomUUID()}.zip`;
  return {
    ...{ kind: 'ModelTraining', id: `${name}-${String(number).padStart(6, '0')}`, uid: randomUUID() },
    ...{ generation: 1, revision: 4, createdBy: 'bench', updatedBy: 'bench' },
    ...{ createdAt: at.toISOString(), updatedAt: at.toISOString() },
    spec: TrainingSpec.parse({
      model: { name, version: String(number % 40) },
      toolchain: number % 3 === 0 ? 'own-toolchain' : 'ml-toolchain',
      algorithmSource: { vcs: { connection: 'code', reference: 'main' } },
      hyperParameters: { alpha: '0.5', depth: '6', rounds: String(number) },
      data: [{ connection: 'models-output', localPath: 'data/train.csv', remotePath: `data/${name}.csv` }],
      outputConnection: 'models-output',
    }),
    status: {
      ...freshTraining(at),
      state: STATES[number % STATES.length] ?? 'unknown',
      artifacts: [{ runId: randomUUID(), artifactName, commitID: randomUUID() }],
      artifactName,
      metrics: { accuracy: 0.9, loss: 0.1 },
    },
  };
}

/** The row that the store leaves of it; its log is purged. */
export const rowOf = (training: Training): Revision<Training> => ({
  ...{ _id: training.id, id: training.id, revision: training.revision, change: 'statusUpdated' },
  ...{ at: training.updatedAt, commit: randomUUID(), entity: training, uid: training.uid },
});
