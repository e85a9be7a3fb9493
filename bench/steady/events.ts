import { createDraw } from '../../examples/reference-data/random.js';
import type { TestPlatform } from '../../test/e2e/platform.js';
import { read } from '../../test/e2e/run-state.js';
import { until } from '../../test/e2e/until.js';

/** The kinds of events, in the order of the table. */
export const EVENTS = ['weights', 'kill', 'scale', 'update', 'canary'] as const;
export type EventName = (typeof EVENTS)[number];

interface Scene {
  platform: TestPlatform;
  images: { good: string; broken: string };
  route: string;
  deployments: readonly string[];
  seed: number;
}

interface Plan {
  image: string;
  replicas: number;
  rollout?: { steps: { weight: number; seconds: number }[] };
}

const PREDICTOR = 'platform-ml-server';
const DEPLOYMENT = '/model/deployment';

/** Two deployments behind one route, and the events that befall them in the order of a seed. */
export function createEvents({ platform, images, route, deployments, seed }: Scene) {
  const { below, pick } = createDraw(seed);
  const { admin, engine } = platform;
  const plans = new Map<string, Plan>(deployments.map((id) => [id, { image: images.good, replicas: 2 }]));
  const broken = new Set<string>();
  let weight = 50;

  const planOf = (id: string): Plan => plans.get(id) ?? { image: images.good, replicas: 2 };
  const routeSpec = () => ({
    urlPrefix: `/custom/${route}`,
    modelDeployments: deployments.map((mdName, at) => ({ mdName, weight: at === 0 ? weight : 100 - weight })),
  });
  const specOf = (id: string, delay: number) => {
    const { image, replicas, rollout } = planOf(id);
    const counts = { minReplicas: replicas, maxReplicas: replicas, readinessProbeInitialDelay: delay };
    return { image, predictor: PREDICTOR, ...counts, ...(rollout && { rollout }) };
  };
  const untilIs = (id: string, generation: number, state: string) =>
    until(`${id} ${generation} to be ${state}`, async () => {
      const found = await read(platform, DEPLOYMENT, id);
      const { state: now, availableReplicas } = found.status;
      if (now === 'Failed' && state !== 'Failed') throw new Error(`${id} failed: ${JSON.stringify(found.status)}`);
      return (
        found.generation === generation &&
        now === state &&
        (state === 'Failed' || availableReplicas === planOf(id).replicas)
      );
    });

  const untilRouted = () =>
    until('the route', async () => (await read(platform, '/model/route', route)).status.state === 'Ready');

  /** @returns the new generation, which differs from the last one in nothing but `change` and its delay */
  async function put(id: string, change: Partial<Plan>): Promise<number> {
    const { rollout: _, ...plan } = planOf(id);
    plans.set(id, { ...plan, ...change });
    const { generation } = await read(platform, DEPLOYMENT, id);
    await admin.call('PUT', `/api/v1${DEPLOYMENT}`, { id, spec: specOf(id, generation % 2) });
    return generation + 1;
  }
  async function setWeight(next: number): Promise<void> {
    weight = next;
    await admin.call('PUT', '/api/v1/model/route', { id: route, spec: routeSpec() });
    await untilRouted();
  }
  const update = async (id: string, change: Partial<Plan>): Promise<void> =>
    void (await untilIs(id, await put(id, change), 'Ready'));

  const ACTS: Record<EventName, (id: string) => Promise<string>> = {
    async weights() {
      await setWeight(pick([5, 20, 80, 95].filter((each) => each !== weight)));
      return `${weight} % to ${deployments[0]}`;
    },
    async kill(id) {
      const replicas = await engine.find({ kind: 'deployment', id });
      const newest = Math.max(...replicas.map(({ labels }) => Number(labels.generation)));
      const victim = pick(replicas.filter(({ labels }) => Number(labels.generation) === newest));
      const startedAt = async () => {
        const state = await engine.state(victim);
        return state?.phase === 'running' ? state.startedAt : undefined;
      };
      const before = await startedAt();
      await engine.stop(victim, 0);
      const { generation } = await read(platform, DEPLOYMENT, id);
      await until(`${victim.name} to run again`, async () => ![undefined, before].includes(await startedAt()));
      await untilIs(id, generation, 'Ready');
      return victim.name;
    },
    async scale(id) {
      const replicas = planOf(id).replicas === 2 ? 3 : 2;
      await update(id, { replicas });
      return `${id} to ${replicas} replicas`;
    },
    async update(id) {
      await update(id, {});
      return id;
    },
    async canary(id) {
      // A rule needs its calls soon.
      await setWeight(50);
      const rollout = { steps: [{ weight: pick([25, 50]), seconds: 600 }] };
      const { generation } = await read(platform, DEPLOYMENT, id);
      broken.add(`${id} ${generation + 1}`);
      await untilIs(id, await put(id, { image: images.broken, rollout }), 'Failed');
      const { status } = await read(platform, DEPLOYMENT, id);
      if (status.reason !== 'RolledBack') throw new Error(`${id} was not rolled back: ${JSON.stringify(status)}`);
      await update(id, { image: images.good });
      return `${id}: ${status.message}`;
    },
  };

  return {
    isBroken: (deployment: string, generation: string): boolean => broken.has(`${deployment} ${generation}`),

    async start(): Promise<void> {
      for (const id of deployments) await admin.create(DEPLOYMENT, id, specOf(id, 0));
      for (const id of deployments) await untilIs(id, 1, 'Ready');
      await admin.create('/model/route', route, routeSpec());
      await untilRouted();
    },

    /** Each round has every event once, in an order of its own. */
    nextRound(): EventName[] {
      const left = [...EVENTS];
      return EVENTS.map(() => left.splice(below(left.length), 1)[0] ?? 'update');
    },

    /** Lets an event happen to one of the deployments, and waits until it is over. @returns what happened */
    act: (event: EventName): Promise<string> => ACTS[event](pick(deployments)),
  };
}
