import { SlipwayError } from '../../platform/kinds/errors.js';
import { toBytes, toMillicpu } from '../../platform/kinds/quantity.js';
import type { ResourceRequirements } from '../../platform/kinds/resource-requirements.js';

/** The names of the amounts that have a quota. */
// prettier-ignore
export const QUOTA_NAMES = ['replicas', 'cpu', 'memory', 'jobs', 'storage', 'datasets', 'subscriptions', 'imports'] as const;
export type QuotaName = (typeof QUOTA_NAMES)[number];

/** Cpu is in thousandths of a core, memory and storage in bytes; the others are numbers. */
export type Amounts = Readonly<Record<QuotaName, number>>;

/** Amounts that one resource holds. `id` is that of the resource, or of the pipeline run that made it. */
export interface Holding {
  kind:
    | 'ModelTraining'
    | 'ModelPackaging'
    | 'ModelDeployment'
    | 'PipelineRun'
    | 'InferenceJob'
    | 'Dataset'
    | 'Subscription'
    | 'Import';
  id: string;
  owner: string;
  amounts: Amounts;
}

export interface QuotaLimits {
  owner: Amounts;
  installation: Amounts;
}

interface Unit {
  parse: (text: string) => number;
  show: (amount: number) => string;
  owner: string;
  installation: string;
  remedy: string;
}

const toGi = (bytes: number): string => `${Number((bytes / 2 ** 30).toFixed(2))}Gi`;

/** How each amount is written, its default limits, and how to get below them. */
// prettier-ignore
const UNITS = {
  replicas:      { parse: Number,     show: String,                                  owner: '2000',  installation: '10000', remedy: 'remove deployments' },
  cpu:           { parse: toMillicpu, show: (millicpu) => String(millicpu / 1_000),  owner: '4000',  installation: '20000', remedy: 'wait for runs to end, remove deployments' },
  memory:        { parse: toBytes,    show: toGi,                                    owner: '16Ti',  installation: '80Ti',  remedy: 'wait for runs to end, remove deployments' },
  jobs:          { parse: Number,     show: String,                                  owner: '2000',  installation: '10000', remedy: 'wait for runs to end' },
  storage:       { parse: toBytes,    show: toGi,                                    owner: '10Ti',  installation: '50Ti',  remedy: 'remove trainings whose artifacts are not needed' },
  datasets:      { parse: Number,     show: String,                                  owner: '1000',  installation: '5000',  remedy: 'remove datasets' },
  subscriptions: { parse: Number,     show: String,                                  owner: '10000', installation: '10000', remedy: 'remove subscriptions' },
  imports:       { parse: Number,     show: String,                                  owner: '50',    installation: '500',   remedy: 'commit or cancel open imports' },
} as const satisfies Record<QuotaName, Unit>;

const each = <Value>(valueOf: (name: QuotaName) => Value): Record<QuotaName, Value> => ({
  ...{ replicas: valueOf('replicas'), cpu: valueOf('cpu'), memory: valueOf('memory'), jobs: valueOf('jobs') },
  ...{ storage: valueOf('storage'), datasets: valueOf('datasets') },
  ...{ subscriptions: valueOf('subscriptions'), imports: valueOf('imports') },
});

export const DEFAULT_QUOTAS = {
  owner: each((name) => UNITS[name].owner),
  installation: each((name) => UNITS[name].installation),
};

/** The limits of an installation; what it leaves out has the defaults. */
export const limitsOf = (given: Record<keyof QuotaLimits, Partial<Record<QuotaName, string>>>): QuotaLimits => ({
  owner: toAmounts({ ...DEFAULT_QUOTAS.owner, ...given.owner }),
  installation: toAmounts({ ...DEFAULT_QUOTAS.installation, ...given.installation }),
});

export const NOTHING: Amounts = each(() => 0);

const toAmounts = (texts: Record<QuotaName, string>): Amounts => each((name) => UNITS[name].parse(texts[name]));

export const showAmount = (name: QuotaName, amount: number): string => UNITS[name].show(amount);

/** The amounts of a job or of one replica; what a spec leaves out has the limits of `containerLimits`. */
export function amountsOf(
  { limits }: Pick<ResourceRequirements, 'limits'> = { limits: {} },
  { replicas = 0, jobs = 0 }: { replicas?: number; jobs?: number } = {},
): Amounts {
  const containers = Math.max(replicas, 1);
  const cpu = containers * toMillicpu(limits.cpu ?? '2');
  return { ...NOTHING, replicas, cpu, memory: containers * toBytes(limits.memory ?? '2Gi'), jobs };
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
  const names = QUOTA_NAMES.filter((name) => wanted.amounts[name] > 0);
  const { before, owner, installation } = usageBeside(wanted, holdings, names);
  const scopes = [
    ['the quota of one owner', owner, limits.owner],
    ['the quota of the installation', installation, limits.installation],
  ] as const;
  for (const [scope, used, limit] of scopes) {
    for (const name of names) {
      const amount = wanted.amounts[name];
      if (amount <= before[name] || used[name] + amount <= limit[name]) continue;
      const show = (value: number) => showAmount(name, value);
      throw new SlipwayError(
        'quota_exceeded',
        `${scope} is ${show(limit[name])} ${name}: ${show(used[name])} in use, ${show(amount)} more wanted; ` +
          `${UNITS[name].remedy}, or ask an operator to raise it`,
      );
    }
  }
}

/** Sums in one pass, because each request that makes something waits for it: there may be tens of thousands. */
function usageBeside(wanted: Holding, holdings: readonly Holding[], names: readonly QuotaName[]) {
  const usage = { before: { ...NOTHING }, owner: { ...NOTHING }, installation: { ...NOTHING } };
  const add = (to: Record<QuotaName, number>, amounts: Amounts): void => {
    for (const name of names) to[name] += amounts[name];
  };
  for (const { kind, id, owner, amounts } of holdings) {
    if (kind === wanted.kind && id === wanted.id) {
      add(usage.before, amounts);
      continue;
    }
    add(usage.installation, amounts);
    if (owner === wanted.owner) add(usage.owner, amounts);
  }
  return usage;
}
