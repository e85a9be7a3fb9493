import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../platform/stores/database.js';

/** Shows by how much the clock of this process differs: deadlines go by the database's clock, certificates and logs do not. */
export function createClockMetric(database: Pick<Database, 'now'>, registry: Registry): void {
  new Gauge({
    name: 'slipway_database_clock_offset_seconds',
    help: 'Time of the database less the time of this process',
    registers: [registry],
    collect() {
      this.set((database.now().getTime() - Date.now()) / 1_000);
    },
  });
}
