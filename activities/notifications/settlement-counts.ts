import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import {
  type DeliveryPolicy,
  type DeliveryRecord,
  foldDelivery,
  isSettled,
  type SettledDelivery,
} from '../../notifications/delivery/delivery.js';

/** Returns the current episode of a delivery: 0 until it is reopened. */
export const episodeOf = ({ reopenings }: DeliveryRecord): number => reopenings.at(-1)?.episode ?? 0;

/** Counts settled deliveries by state. A reopened delivery leaves its count until it is settled again. */
export function createSettlementCounts(saved?: SubscriptionProgress['counts']) {
  const totals = { delivered: 0, failed: 0, cancelled: 0, ...saved };
  /** The episode whose end is part of the totals, by sequence of a reopened delivery. */
  const countedEpisodes = new Map<number, number>();

  return {
    totals: (): Readonly<typeof totals> => ({ ...totals }),
    /** @param isNew the delivery was loaded in this state, so an operator action on it may still be unread */
    add(sequence: number, { state }: SettledDelivery, { record, isNew }: { record: DeliveryRecord; isNew: boolean }) {
      totals[state] += 1;
      if (isNew || record.reopenings.length > 0) countedEpisodes.set(sequence, episodeOf(record));
    },
    /**
     * Removes a reopened delivery from the count of its previous end.
     * @param started the first episode whose start was read since then
     * @returns false when the totals already hold the end of the current episode
     */
    reopen(
      sequence: number,
      record: DeliveryRecord,
      { policy, started }: { policy: DeliveryPolicy; started?: number | undefined },
    ): boolean {
      const current = episodeOf(record);
      const isOver = isSettled(foldDelivery(record, policy));
      // Operator actions of an earlier version do not name the episode they started: it was the last one.
      const counted = countedEpisodes.get(sequence) ?? (started ?? (isOver ? current + 1 : current)) - 1;
      if (isOver && counted === current) {
        countedEpisodes.set(sequence, current);
        return false;
      }
      countedEpisodes.delete(sequence);
      const before = foldDelivery({ ...record, reopenings: record.reopenings.slice(0, counted) }, policy);
      if (isSettled(before)) totals[before.state] -= 1;
      return true;
    },
  };
}
