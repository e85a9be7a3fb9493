import { type LineageStep, stepKey } from '../kinds/lineage.js';
import { collections } from '../../platform/stores/collections.js';
import type { Database } from '../../platform/stores/database.js';
import { createSequence, type SequenceRow } from '../../platform/stores/sequence.js';

/** Inputs and products of trainings, packagings and deployments: kept when the resources are changed or gone. */
export interface LineageLog {
  /** A repeat after a crash writes the same step again; the last entry counts. */
  keep(step: LineageStep): Promise<void>;
  /** One per generation of a resource. Reads what is new since the last call. */
  steps(): Promise<LineageStep[]>;
}

/** Point reads under way at a time. */
const BATCH = 50;

export function createLineageLog({ database }: { database: Database }): LineageLog {
  const table = database.table<SequenceRow<LineageStep>>(collections.lineage);
  const sequence = createSequence<LineageStep>(table);
  const known = new Map<string, LineageStep>();
  let position = 0;

  function learn(step: LineageStep): void {
    known.set(stepKey(step), step);
    position += 1;
  }

  /** The whole at first, then what came since. */
  async function readOn(): Promise<void> {
    if (position === 0) for await (const { value } of table.scan()) learn(value);
    for (;;) {
      const next = Array.from({ length: BATCH }, (_, index) => sequence.get(position + index + 1));
      const found = (await Promise.all(next)).filter((step) => step !== undefined);
      found.forEach(learn);
      if (found.length < BATCH) return;
    }
  }

  let reading: Promise<void> = Promise.resolve();
  return {
    keep: async (step) => void (await sequence.append(() => step)),
    async steps() {
      // One after the other: two at once would count what they read twice.
      reading = reading.then(readOn, readOn);
      await reading;
      return [...known.values()];
    },
  };
}
