import { Counter, type Registry } from 'prom-client';

/** The control loops, each a schedule of its own. */
type Loop = 'sweep' | 'triggers' | 'upkeep';

/** The metrics of the control loops of a worker; normally all of them stay at 0. */
export function createLoopMetrics(metrics: Registry) {
  const registers = [metrics];
  const repairs = new Counter({
    name: 'slipway_repairs_total',
    help: 'What the sweep repaired, by kind; more than a few point to a crash or an outage',
    labelNames: ['repair'],
    registers,
  });
  const removed = new Counter({
    name: 'slipway_upkeep_removed_total',
    help: 'What upkeep removed because it was past its time, by kind',
    labelNames: ['what'],
    registers,
  });
  const skipped = new Counter({
    name: 'slipway_loop_skipped_items_total',
    help: 'Items that a control loop skipped because they failed; the log of the worker names each',
    labelNames: ['loop'],
    registers,
  });
  return {
    repaired: (done: Record<string, number>): void => {
      for (const [repair, count] of Object.entries(done)) repairs.inc({ repair }, count);
    },
    removed: (done: Record<string, number>): void => {
      for (const [what, count] of Object.entries(done)) removed.inc({ what }, count);
    },
    skippedBy: (loop: Loop) => (): void => skipped.inc({ loop }),
  };
}
