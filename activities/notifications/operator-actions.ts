import type { DeliveryRecord } from '../../notifications/delivery/delivery.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import { applyDecision, type OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import type { InFlightDelivery } from './in-flight-delivery.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { InFlightWindow } from './in-flight-window.js';

export interface OperatorActionReaderOptions {
  subscription: string;
  operatorActions: OperatorActions;
  ledger: AttemptLedger;
  window: InFlightWindow;
  queue: Pick<DeliveryQueue, 'update' | 'addReopened'>;
  reload: (inFlight: InFlightDelivery) => Promise<void>;
  /** Deliveries of a subscription with mode "pull" are in no window. */
  isPulled: boolean;
  /** Whether a recovery has passed a delivery, by the saved progress. */
  hasPassed: (recovery: number, sequence: number) => boolean;
  /** Progress of the last drain. */
  from: Pick<SubscriptionProgress, 'interventions' | 'touched'> | undefined;
}

/** Applies operator actions (resend, confirm, cancel) to deliveries that are in progress. */
export function createOperatorActionReader(options: OperatorActionReaderOptions) {
  const { subscription, operatorActions, ledger, window, queue, reload, isPulled, hasPassed, from } = options;
  let offset = from?.interventions ?? 0;
  /** Deliveries with an operator action that are not loaded yet. */
  const touched = new Set(from?.touched);

  /**
   * Finds the first episode that was not processed yet: a recovery may have reopened the delivery before the operator did.
   */
  function firstUnprocessed({ reopenings }: DeliveryRecord, sequence: number, started: number): number {
    const isUnprocessed = (episode: number): boolean => {
      const recovery = reopenings.find((each) => each.episode === episode)?.order;
      return recovery !== undefined && !hasPassed(recovery, sequence);
    };
    let first = started;
    while (isUnprocessed(first - 1)) first -= 1;
    return first;
  }

  /**
   * Takes the changed ledger of a delivery into the window.
   * @param started the episode that the action started, if it started one
   */
  async function apply(sequence: number, started?: number): Promise<void> {
    const loaded = window.get(sequence);
    if (loaded !== undefined) {
      await reload(loaded);
      queue.update(loaded);
    } else if (isPulled) return;
    else if (!window.isLoaded(sequence)) touched.add(sequence);
    else {
      const recalled = await window.recall(sequence);
      if (recalled === undefined) return;
      await reload(recalled);
      queue.addReopened(recalled, started && firstUnprocessed(recalled.record, sequence, started));
    }
  }

  return {
    apply,
    /** Reads and applies the operator actions since the last call. */
    readNew: async (): Promise<void> => {
      const { actions: actions, position } = await operatorActions.read(subscription, offset);
      for (const { sequences, decision, begun: started } of actions) {
        for (const sequence of sequences) {
          // The API may have stopped after it stored the action and before it wrote the decision to the ledger.
          const isValid = decision === undefined || (await applyDecision(ledger, { subscription, sequence }, decision));
          if (isValid) await apply(sequence, started);
        }
      }
      offset = position;
    },
    /** @returns whether an operator acted on a delivery before it was loaded; the caller loads it now */
    takeTouched: (sequence: number): boolean => touched.delete(sequence),
    progress: (): Pick<SubscriptionProgress, 'interventions' | 'touched'> => ({
      interventions: offset,
      touched: [...touched],
    }),
  };
}
export type OperatorActionReader = ReturnType<typeof createOperatorActionReader>;
