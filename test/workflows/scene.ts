import type { RolloutActivities } from '../../activities/deployment/rollout.js';
import type { RolloutSpec } from '../../lifecycle/kinds/rollout.js';
import type { DeploymentActivities } from '../../activities/deployment/deployment.js';
import type { RunRef } from '../../platform/kinds/ids.js';
import type { Revision } from '../../lifecycle/kinds/revision.js';
import { type Calls, goOn, noting } from './fakes.js';
import { eventually, newRef, type TestNamespace } from './namespace.js';

export const isFirst = ({ generation }: RunRef): boolean => generation === 1;

export function revisionOf(ref: RunRef): Revision {
  const limits = { cpus: 1, memoryBytes: 1 };
  const serving = { image: `wine:${ref.generation}`, roleName: 'r', feedback: true, replicas: 1, limits };
  return { ref, ...serving, readinessDelay: 0, port: 1, timeoutSeconds: 1, modelName: 'wine', modelVersion: '1' };
}

/** One deployment on the platform: the document, and the effects of its workflow. */
export class Scene {
  private readonly namespace: Pick<TestNamespace, 'runs' | 'handle'>;
  constructor(namespace: Pick<TestNamespace, 'runs' | 'handle'>) {
    this.namespace = namespace;
  }
  readonly calls: Calls = [];
  readonly ref = newRef();
  generation = 1;
  deleted = false;
  /** Recorded by an earlier run. */
  serving?: Revision;
  /** How the next generation takes over. */
  rollout?: RolloutSpec;
  guardSeconds?: number;

  activities(
    changes: Partial<DeploymentActivities & RolloutActivities> = {},
  ): DeploymentActivities & RolloutActivities {
    return noting(this.calls, {
      readDeployment: async ({ uid }) => ({
        generation: this.generation,
        deleted: this.deleted || uid !== this.ref.uid,
        serving: this.serving,
        ...(this.rollout && { rollout: this.rollout }),
        ...(this.guardSeconds && { guardSeconds: this.guardSeconds }),
      }),
      startRevision: async (ref) => revisionOf(ref),
      publishRevision: async () => {},
      superviseRevision: goOn,
      guardRevision: async () => ({ outcome: 'passed' }),
      recordDeploymentFailed: async () => {},
      retireReplicas: async () => {},
      withdrawEndpoint: async () => {},
      removeDeployment: async () => {},
      bakeRollout: async () => ({ outcome: 'passed' }),
      withdrawCandidate: async () => {},
      countCandidate: async () => ({ requests: 20, failed: 14 }),
      recordRollout: async () => {},
      ...changes,
    });
  }

  tell(): Promise<void> {
    return this.namespace.runs.changed('deployment', { ...this.ref, generation: this.generation });
  }
  async change(): Promise<void> {
    this.generation += 1;
    await this.tell();
  }
  async remove(): Promise<void> {
    this.deleted = true;
    await this.tell();
    await this.namespace.handle('deployment', this.ref.id).result();
  }
  called = (call: string): Promise<unknown> => eventually(() => this.calls.includes(call));
  count = (call: string): number => this.calls.filter((each) => each === call).length;
  /** Calls in order, without the reads and without what goes on beside the serving. */
  get steps(): Calls {
    return this.acts.filter((call) => !call.startsWith('retireReplicas keep'));
  }
  /** Calls in order, without the reads. */
  get acts(): Calls {
    return this.calls.filter((call) => call !== 'readDeployment');
  }
}
