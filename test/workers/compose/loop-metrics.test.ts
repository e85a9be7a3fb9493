import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createLoopMetrics } from '../../../workers/compose/loop-metrics.js';

test('repairs and removals are counted by kind, and skipped items by loop', async () => {
  const metrics = new Registry();
  const { repaired, removed, skippedBy } = createLoopMetrics(metrics);
  repaired({});
  repaired({ runs_started: 1 });
  repaired({ runs_started: 1, containers_removed: 2 });
  skippedBy('triggers')();
  removed({ images_removed: 3 });
  const text = await metrics.metrics();
  expect(text).toContain('slipway_repairs_total{repair="runs_started"} 2');
  expect(text).toContain('slipway_repairs_total{repair="containers_removed"} 2');
  expect(text).toContain('slipway_upkeep_removed_total{what="images_removed"} 3');
  expect(text).toContain('slipway_loop_skipped_items_total{loop="triggers"} 1');
});
