import type { Entity } from '../../client/index.js';

type Spec = Pick<Entity<'Watch'>['spec'], 'scope' | 'period'>;

/** The dataset that a watch observes, or the stream of the platform. */
export const scopeOf = ({ scope }: Spec): string => ('stream' in scope ? scope.stream : scope.dataset);

/** The longest time between two changes, or the calendar of them. */
export const periodOf = ({ period }: Spec): string =>
  typeof period === 'string' ? period : `${period.cron} ${period.zone}`;
