import { lastOf, type OutboxEvent, type OutboxBlock } from '../../notifications/kinds/outbox-event.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import { deliveryRecordOf } from '../../notifications/delivery/delivery.js';
import type { InFlightDelivery } from './in-flight-delivery.js';

/** The part of an outbox that is being delivered: events are loaded in order, and removed when they are settled. */
export interface InFlightWindow {
  get(sequence: number): InFlightDelivery | undefined;
  /** Loads the deliveries that the last drain left open. @returns them without the records of their ledger */
  restore(open: SubscriptionProgress['open']): Promise<InFlightDelivery[]>;
  /**
   * Loads the next blocks while there is room.
   * @param written a block that was just written, which need not be read
   * @returns the new deliveries in order of sequence
   */
  fill(newestBlock: number, written?: OutboxBlock): Promise<InFlightDelivery[]>;
  /** Moves past everything up to a head of the outbox without loading it. */
  skipTo(head: { block: number; sequence: number }): void;
  /** Loads a settled delivery again; `undefined` for one that is not loaded yet or was purged. */
  recall(sequence: number): Promise<InFlightDelivery | undefined>;
  isLoaded(sequence: number): boolean;
  /** Whether a block up to this one is not loaded yet. */
  hasUnloaded(newestBlock: number): boolean;
  hasRoom(): boolean;
  /** Number of deliveries that are loaded and not settled. */
  readonly size: number;
  /** The first one that is loaded and not settled. */
  oldest(): InFlightDelivery | undefined;
  settled(sequence: number): void;
  /** The last sequence up to which every delivery is settled. */
  settledThrough(): number;
  /** The part of the saved progress that the next drain restores the window from. */
  progress(): Pick<SubscriptionProgress, 'loadedThrough' | 'loadedBlock' | 'open'>;
  /** The last sequence that was loaded. */
  readonly loadedThrough: number;
}

export interface InFlightWindowOptions {
  subscription: string;
  outbox: Outbox;
  from: Pick<SubscriptionProgress, 'loadedThrough' | 'loadedBlock'>;
  most?: number;
  mostBytes?: number;
}

export function createInFlightWindow(options: InFlightWindowOptions): InFlightWindow {
  const { subscription, outbox, most = 10_000, mostBytes = 64 * 2 ** 20 } = options;
  let { loadedThrough, loadedBlock } = options.from;
  const loaded = new Map<number, { inFlight: InFlightDelivery; block: number }>();
  let bytes = 0;

  function load(event: OutboxEvent, block: OutboxBlock): InFlightDelivery {
    const record = deliveryRecordOf({ event, block });
    const inFlight = { event, record };
    loaded.set(event.sequence, { inFlight, block: block.block });
    bytes += event.body.length;
    return inFlight;
  }

  const hasRoom = () => loaded.size < most && bytes < mostBytes;

  return {
    get: (sequence) => loaded.get(sequence)?.inFlight,
    async restore(open) {
      const restored: InFlightDelivery[] = [];
      let block: OutboxBlock | undefined;
      for (const { sequence, block: number } of open) {
        if (block?.block !== number) block = await outbox.read(subscription, number);
        const event = block?.notices[sequence - block.from];
        // The block of a held delivery may be purged: the delivery is kept alone then.
        const found = block && event ? { block, event } : await outbox.find(subscription, sequence);
        if (found !== undefined) restored.push(load(found.event, found.block));
      }
      return restored;
    },
    async fill(newestBlock, written) {
      const added: InFlightDelivery[] = [];
      while (loadedBlock < newestBlock && hasRoom()) {
        const next = loadedBlock + 1;
        const block = written?.block === next ? written : await outbox.read(subscription, next);
        if (block === undefined) break;
        for (const event of block.notices) added.push(load(event, block));
        loadedBlock = block.block;
        loadedThrough = lastOf(block);
      }
      return added;
    },
    skipTo({ block, sequence }) {
      loadedBlock = block;
      loadedThrough = sequence;
    },
    async recall(sequence) {
      const found = sequence > loadedThrough ? undefined : await outbox.find(subscription, sequence);
      return found && load(found.event, found.block);
    },
    hasRoom,
    get size() {
      return loaded.size;
    },
    oldest() {
      const [first] = loaded.values();
      return first?.inFlight;
    },
    hasUnloaded: (newestBlock) => loadedBlock < newestBlock,
    isLoaded: (sequence) => sequence <= loadedThrough,
    settled(sequence) {
      bytes -= loaded.get(sequence)?.inFlight.event.body.length ?? 0;
      loaded.delete(sequence);
    },
    settledThrough() {
      // The map is in order of sequence except for recalled deliveries, which were settled before.
      const [first = loadedThrough + 1] = loaded.keys();
      return Math.min(first - 1, loadedThrough);
    },
    get loadedThrough() {
      return loadedThrough;
    },
    progress: () => ({
      loadedThrough,
      loadedBlock,
      open: [...loaded].map(([sequence, { block }]) => ({ sequence, block })).sort((a, b) => a.sequence - b.sequence),
    }),
  };
}
