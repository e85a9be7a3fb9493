import { lastOf, type OutboxEvent, type OutboxBlock } from '../../notifications/kinds/outbox-event.js';
import type { Outbox } from '../../notifications/stores/outbox.js';
import type { SubscriptionProgress } from '../../notifications/stores/subscription-progress.js';
import type { InFlightDelivery } from './delivery-attempt.js';

/** The part of an outbox that is being delivered: loaded in order, and let go of when settled. */
export interface InFlightWindow {
  get(sequence: number): InFlightDelivery | undefined;
  /** Brings what a former delivery had left open. @returns travellers without what the ledger says of them */
  restore(open: SubscriptionProgress['open']): Promise<InFlightDelivery[]>;
  /** Loads on, as far as there is room. @returns new travellers in order of sequence */
  fill(newestBlock: number): Promise<InFlightDelivery[]>;
  /** Leaves out everything up to here. */
  pass(minted: { block: number; sequence: number }): void;
  /** Brings back one that was settled; `undefined` for one that is not loaded yet, or gone. */
  recall(sequence: number): Promise<InFlightDelivery | undefined>;
  isLoaded(sequence: number): boolean;
  /** Whether blocks up to this one are not loaded yet. */
  isBehind(newestBlock: number): boolean;
  hasRoom(): boolean;
  /** How many are loaded and not settled. */
  readonly size: number;
  settled(sequence: number): void;
  /** Everything up to it is settled. */
  settledThrough(): number;
  /** What a later delivery needs to go on from here. */
  place(): Pick<SubscriptionProgress, 'loadedThrough' | 'loadedBlock' | 'open'>;
  /** Everything up to it was loaded. */
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
  const travellers = new Map<number, { traveller: InFlightDelivery; block: number }>();
  let bytes = 0;

  function take(notice: OutboxEvent, { block, at }: OutboxBlock): InFlightDelivery {
    const record = { deliveryId: notice.id, createdAt: at, attempts: [], settlements: [], reopenings: [] };
    const traveller = { notice, record };
    travellers.set(notice.sequence, { traveller, block });
    bytes += notice.body.length;
    return traveller;
  }

  const hasRoom = () => travellers.size < most && bytes < mostBytes;

  return {
    get: (sequence) => travellers.get(sequence)?.traveller,
    async restore(open) {
      const restored: InFlightDelivery[] = [];
      let block: OutboxBlock | undefined;
      for (const { sequence, block: number } of open) {
        if (block?.block !== number) block = await outbox.read(subscription, number);
        const notice = block?.notices[sequence - block.from];
        // The block of one that waits for people may be gone.
        const found = block && notice ? { block, event: notice } : await outbox.find(subscription, sequence);
        if (found !== undefined) restored.push(take(found.event, found.block));
      }
      return restored;
    },
    async fill(newestBlock) {
      const added: InFlightDelivery[] = [];
      while (loadedBlock < newestBlock && hasRoom()) {
        const block = await outbox.read(subscription, loadedBlock + 1);
        if (block === undefined) break;
        for (const notice of block.notices) added.push(take(notice, block));
        loadedBlock = block.block;
        loadedThrough = lastOf(block);
      }
      return added;
    },
    pass({ block, sequence }) {
      loadedBlock = block;
      loadedThrough = sequence;
    },
    async recall(sequence) {
      const found = sequence > loadedThrough ? undefined : await outbox.find(subscription, sequence);
      return found && take(found.event, found.block);
    },
    hasRoom,
    get size() {
      return travellers.size;
    },
    isBehind: (newestBlock) => loadedBlock < newestBlock,
    isLoaded: (sequence) => sequence <= loadedThrough,
    settled(sequence) {
      bytes -= travellers.get(sequence)?.traveller.notice.body.length ?? 0;
      travellers.delete(sequence);
    },
    settledThrough() {
      // In order of sequence, but for those that were recalled: they had been settled once.
      const [first = loadedThrough + 1] = travellers.keys();
      return Math.min(first - 1, loadedThrough);
    },
    get loadedThrough() {
      return loadedThrough;
    },
    place: () => ({
      loadedThrough,
      loadedBlock,
      open: [...travellers]
        .map(([sequence, { block }]) => ({ sequence, block }))
        .sort((a, b) => a.sequence - b.sequence),
    }),
  };
}
