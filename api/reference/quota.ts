import { type Holding, NOTHING, type QuotaName } from '../../lifecycle/kinds/quota.js';
import type { HoldingSource, Quotas } from '../../lifecycle/stores/quotas.js';
import type { Subscription } from '../../notifications/kinds/subscription.js';
import type { ResourceStore } from '../../platform/stores/resources.js';
import { isOver } from '../../reference/dataset/import.js';
import type { Datasets } from '../../reference/stores/datasets.js';
import type { Imports } from '../../reference/stores/imports.js';

export type ReferenceQuotas = Pick<Quotas, 'reserve' | 'include'>;

// prettier-ignore
const AMOUNTS = {
  Dataset:      'datasets',
  Subscription: 'subscriptions',
  Import:       'imports',
} as const satisfies Partial<Record<Holding['kind'], QuotaName>>;
type CountedKind = keyof typeof AMOUNTS;

const one = (kind: CountedKind, id: string, owner: string): Holding => ({
  ...{ kind, id, owner },
  amounts: { ...NOTHING, [AMOUNTS[kind]]: 1 },
});

/** Counts one more object while `work` stores it. @throws quota_exceeded */
export async function withinQuota<T>(
  quotas: Pick<Quotas, 'reserve'> | undefined,
  { kind, id, owner }: { kind: CountedKind; id: string; owner: string },
  work: () => Promise<T>,
): Promise<T> {
  const release = await quotas?.reserve(one(kind, id, owner));
  try {
    return await work();
  } finally {
    release?.();
  }
}

interface Counted {
  datasets: Datasets;
  imports: Imports;
  subscriptions: ResourceStore<Subscription>;
}

/** The datasets, subscriptions and open imports of an installation, as quotas count them. */
export function holdingSources({ datasets, imports, subscriptions }: Counted): HoldingSource[] {
  const source = (kind: CountedKind, holdings: HoldingSource['holdings']): HoldingSource => ({
    names: [AMOUNTS[kind]],
    holdings,
  });
  return [
    source('Dataset', async () =>
      datasets
        .all()
        .flatMap(({ name, replica: { declaration } }) =>
          declaration === undefined ? [] : [one('Dataset', name, declaration.actor)],
        ),
    ),
    source('Subscription', async () =>
      (await subscriptions.list())
        .filter(({ status }) => status.state !== 'removed')
        .map(({ id, createdBy }) => one('Subscription', id, createdBy)),
    ),
    source('Import', async () => {
      const open = await Promise.all((await imports.open()).map((id) => imports.get(id)));
      return open.filter((each) => !isOver(each)).map(({ id, actor }) => one('Import', id, actor));
    }),
  ];
}
