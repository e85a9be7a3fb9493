import type { DeliveryRecord } from '../../notifications/delivery/delivery.js';
import type { AttemptLedger } from '../../notifications/stores/attempts.js';
import { applyDecision, type OperatorActions } from '../../notifications/stores/operator-actions.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import type { InFlightDelivery } from './delivery-attempt.js';
import type { Dispatcher } from './dispatcher.js';
import type { InFlightWindow } from './in-flight-window.js';

export interface OperatorActionReaderOptions {
  subscription: string;
  interventions: OperatorActions;
  ledger: AttemptLedger;
  window: InFlightWindow;
  shipping: Dispatcher;
  reload: (traveller: InFlightDelivery) => Promise<void>;
  /** What is only pulled is in no window. */
  isPulled: boolean;
  /** Whether an order has come past a notice, by what was written down. */
  hasPassed: (order: number, sequence: number) => boolean;
  /** What a former delivery had heard. */
  from: Pick<SubscriptionProgress, 'interventions' | 'touched'> | undefined;
}

/** Brings what others did to notices to those who send them. */
export function createOperatorActionReader(options: OperatorActionReaderOptions) {
  const { subscription, interventions, ledger, window, shipping, reload, isPulled, hasPassed, from } = options;
  let heard = from?.interventions ?? 0;
  const touched = new Set(from?.touched);

  /** An order may have opened it before people did, of which nobody has heard either. */
  function firstUnheard({ reopenings }: DeliveryRecord, sequence: number, begun: number): number {
    const isUnheard = (episode: number): boolean => {
      const order = reopenings.find((each) => each.episode === episode)?.order;
      return order !== undefined && !hasPassed(order, sequence);
    };
    let first = begun;
    while (isUnheard(first - 1)) first -= 1;
    return first;
  }

  /** @param begun an episode that somebody began, of which nobody who counts has heard */
  async function hear(sequence: number, begun?: number): Promise<void> {
    const loaded = window.get(sequence);
    if (loaded !== undefined) {
      await reload(loaded);
      shipping.changed(loaded);
    } else if (isPulled) return;
    else if (!window.isLoaded(sequence)) touched.add(sequence);
    else {
      const recalled = await window.recall(sequence);
      if (recalled === undefined) return;
      await reload(recalled);
      shipping.addAgain(recalled, begun && firstUnheard(recalled.record, sequence, begun));
    }
  }

  return {
    hear,
    hearPeople: async (): Promise<void> => {
      const { actions: words, position } = await interventions.read(subscription, heard);
      for (const { sequences, decision, begun } of words) {
        for (const sequence of sequences) {
          // Who decided it may have died right behind the word.
          const isMeant = decision === undefined || (await applyDecision(ledger, { subscription, sequence }, decision));
          if (isMeant) await hear(sequence, begun);
        }
      }
      heard = position;
    },
    /** Whether somebody did something to a notice before it was loaded: it is loaded now. */
    takeTouched: (sequence: number): boolean => touched.delete(sequence),
    place: (): Pick<SubscriptionProgress, 'interventions' | 'touched'> => ({
      interventions: heard,
      touched: [...touched],
    }),
  };
}
