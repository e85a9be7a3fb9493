import { SlipwayError } from '../../platform/kinds/errors.js';
import { toBytes, toMillicpu } from '../../platform/kinds/quantity.js';
import type { ResourceRequirements } from '../../platform/kinds/resource-requirements.js';

/** The names of the amounts that have a quota. */
export const QUOTA_NAMES = ['replicas', 'cpu', 'memory', 'jobs'] as const;
export type QuotaName = (typeof QUOTA_NAMES)[number];

/** Replicas and jobs are numbers, cpu is in thousandths of a core, memory in bytes. */
export type Amounts = Readonly<Record<QuotaName, number>>;

/** Amounts that one resource holds. `id` is that of the resource, or of the pipeline run that made it. */
export interface Holding {
  kind: 'ModelTraining' | 'ModelPackaging' | 'ModelDeployment' | 'PipelineRun';
  id: string;
  owner: string;
  amounts: Amounts;
}

export interface QuotaLimits {
  owner: Amounts;
  installation: Amounts;
}

// prettier-ignore
export const DEFAULT_QUOTAS = {
  owner:        { replicas: '2000',  cpu: '4000',  memory: '16Ti', jobs: '2000'  },
  installation: { replicas: '10000', cpu: '20000', memory: '80Ti', jobs: '10000' },
} as const satisfies Record<keyof QuotaLimits, Record<QuotaName, string>>;

// prettier-ignore
const UNITS = {
  replicas: { parse: Number,     show: String },
  cpu:      { parse: toMillicpu, show: (millicpu: number) => String(millicpu / 1_000) },
  memory:   { parse: toBytes,    show: (bytes: number) => `${Number((bytes / 2 ** 30).toFixed(2))}Gi` },
  jobs:     { parse: Number,     show: String },
} as const satisfies Record<QuotaName, { parse: (text: string) => number; show: (amount: number) => string }>;

const each = (amountOf: (name: QuotaName) => number): Amounts => ({
  replicas: amountOf('replicas'),
  cpu: amountOf('cpu'),
  memory: amountOf('memory'),
  jobs: amountOf('jobs'),
});

export const toAmounts = (texts: Record<QuotaName, string>): Amounts => each((name) => UNITS[name].parse(texts[name]));

export const showAmount = (name: QuotaName, amount: number): string => UNITS[name].show(amount);

/** The amounts of a job or of one replica; what a spec leaves out has the limits of `containerLimits`. */
export function amountsOf(
  { limits }: ResourceRequirements,
  { replicas = 0, jobs = 0 }: { replicas?: number; jobs?: number },
): Amounts {
  const containers = Math.max(replicas, 1);
  const cpu = containers * toMillicpu(limits.cpu ?? '2');
  return { replicas, cpu, memory: containers * toBytes(limits.memory ?? '2Gi'), jobs };
}

export const sumOf = (holdings: readonly Holding[]): Amounts =>
  each((name) => holdings.reduce((sum, { amounts }) => sum + amounts[name], 0));

interface Admission {
  wanted: Holding;
  /** All that is held, with `wanted` as it was before when it exists. */
  holdings: readonly Holding[];
  limits: QuotaLimits;
}

/** Admits what keeps within the limits, and what grows in nothing. @throws quota_exceeded, with limit and usage */
export function admit({ wanted, holdings, limits }: Admission): void {
  const isSame = ({ kind, id }: Holding): boolean => kind === wanted.kind && id === wanted.id;
  const others = holdings.filter((holding) => !isSame(holding));
  const before = sumOf(holdings.filter(isSame));
  const scopes = [
    ['the quota of one owner', sumOf(others.filter(({ owner }) => owner === wanted.owner)), limits.owner],
    ['the quota of the installation', sumOf(others), limits.installation],
  ] as const;
  for (const [scope, used, limit] of scopes) {
    for (const name of QUOTA_NAMES) {
      const amount = wanted.amounts[name];
      if (amount <= before[name] || used[name] + amount <= limit[name]) continue;
      const show = (value: number) => showAmount(name, value);
      throw new SlipwayError(
        'quota_exceeded',
        `${scope} is ${show(limit[name])} ${name}: ${show(used[name])} in use, ${show(amount)} more wanted; ` +
          'wait for runs to end, remove deployments, or ask an operator to raise it',
      );
    }
  }
}
