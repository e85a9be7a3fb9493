/** Wakes one waiter: a ring while nobody waits is heard by the next who does. */
export interface WakeSignal {
  ring(): void;
  /** Returns at the next ring, or after `ms`. */
  wait(ms: number): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let rung = false;
  let waiter: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      waiter?.();
    },
    async wait(ms) {
      // Others get their turn even when there is nothing to wait for.
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, rung ? 0 : Math.min(ms, 2 ** 31 - 1));
        waiter = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      waiter = undefined;
      rung = false;
    },
  };
}
