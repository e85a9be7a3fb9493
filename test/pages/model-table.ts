import { LATENCY_BOUNDS } from '../../lifecycle/kinds/measurement.js';
import { startStory } from '../api/lifecycle/lineage-story.js';
import { startTestApi } from '../api/test-api.js';
import { wine } from '../gateway/edge.js';
import { wineInfo } from '../gateway/wine-info.js';

const latencies = [...LATENCY_BOUNDS.map((bound) => (bound === 0.1 ? 200 : 0)), 0];

/** Two models, one without samples, and an API that knows how the other one does and where it comes from. */
export async function startModelTable(...[changes]: Parameters<typeof startTestApi>) {
  const calls = [{ id: 'wine', requests: 200, failed: 3, inflight: 0, latencies }];
  const api = await startTestApi({ measurements: { read: async () => ({ calls, replicas: [] }) }, ...changes });
  const { training, packaging, deployment } = startStory('wine')(1);
  const serving = { ...deployment.status, state: 'Ready' as const, replicas: 2, availableReplicas: 1 };
  await api.trainings.insert(training);
  await api.packagings.insert(packaging);
  await api.deployments.insert({ ...deployment, status: serving });
  const description = 'Rates a red wine from 3 to 8 by its measured properties <b>';
  const models = (url: string) => [
    wine([url], { description, info: wineInfo(true) }),
    wine([url], { id: 'bare', info: wineInfo(false) }),
  ];
  return { api, models };
}
