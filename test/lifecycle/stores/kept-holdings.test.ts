import { expect, onTestFinished, test } from 'vitest';
import type { Deployment } from '../../../lifecycle/kinds/deployment.js';
import type { Packaging } from '../../../lifecycle/kinds/packaging.js';
import type { InferenceJob } from '../../../lifecycle/kinds/inference-job.js';
import type { PipelineRun } from '../../../lifecycle/kinds/pipeline-run.js';
import { limitsOf, sumOf } from '../../../lifecycle/kinds/quota.js';
import type { Training } from '../../../lifecycle/kinds/training.js';
import { createKeptHoldings } from '../../../lifecycle/stores/kept-holdings.js';
import { createQuotas } from '../../../lifecycle/stores/quotas.js';
import { deploymentHolding } from '../../../lifecycle/stores/holdings.js';
import { createResources } from '../../../notifications/stores/resources.js';
import type { Database, Row, Table } from '../../../platform/stores/database.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { newDeployment, newTraining } from '../../activities/shared/resources.js';
import { until } from '../../stack/scratch.js';

/** A database with indexes, as MongoDB, that counts the pages it reads of each collection. */
function open() {
  const memory = createMemoryDatabase();
  const pages: string[] = [];
  const database: Database = {
    ...memory,
    scans: async () => false,
    table: <R extends Row>(name: string): Table<R> => {
      const table = memory.table<R>(name);
      return { ...table, page: (query) => (pages.push(name), table.page(query)) };
    },
  };
  const stores = {
    trainings: createResources<Training>({ database, kind: 'ModelTraining' }),
    packagings: createResources<Packaging>({ database, kind: 'ModelPackaging' }),
    deployments: createResources<Deployment>({ database, kind: 'ModelDeployment' }),
    pipelineRuns: createResources<PipelineRun>({ database, kind: 'PipelineRun' }),
    inferenceJobs: createResources<InferenceJob>({ database, kind: 'InferenceJob' }),
  };
  const kept = createKeptHoldings({ database, pollMs: 5 });
  onTestFinished(() => kept.stop());
  const limits = limitsOf({ owner: { replicas: '5' }, installation: {} });
  return { ...stores, pages, kept, quotas: createQuotas({ ...stores, limits, kept }) };
}

test('a check of the quota reads no deployments, and counts each write before it', async () => {
  const { deployments, trainings, quotas, kept, pages } = open();
  for (let n = 0; n < 3; n += 1) await deployments.insert(newDeployment(`d${n}`, { minReplicas: 1, maxReplicas: 1 }));
  await until(async () => (await kept.of('ModelDeployment')) !== undefined);
  pages.length = 0;
  const [{ createdBy } = newDeployment('x')] = await deployments.list();
  const wanted = deploymentHolding({ ...newDeployment('new', { minReplicas: 2, maxReplicas: 2 }), createdBy });
  (await quotas.reserve(wanted))();
  await deployments.update('d0', (each) => ({ ...each, spec: { ...each.spec, minReplicas: 2 } }));
  await expect(quotas.reserve(wanted)).rejects.toThrow('5 replicas: 4 in use, 2 more wanted');
  await deployments.remove('d1');
  (await quotas.reserve(wanted))();
  const training = newTraining('t');
  await trainings.insert({ ...training, status: { ...training.status, state: 'succeeded', artifactBytes: 7 } });
  expect(sumOf(await quotas.holdings()).storage).toBe(7);
  expect(pages).not.toContain('ModelDeployment');
});

test('before the holdings are loaded, the check reads the deployments', async () => {
  const { deployments, quotas, pages } = open();
  await deployments.insert(newDeployment('a', { minReplicas: 3, maxReplicas: 3 }));
  expect(sumOf(await quotas.holdings()).replicas).toBe(3);
  expect(pages).toContain('ModelDeployment');
});
