/** A signal that wakes one waiting loop; a notification without a waiter ends the next wait at once. */
export interface WakeSignal {
  notify(): void;
  /** Returns at the next notification, or after `ms`. */
  wait(ms: number): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let isNotified = false;
  let waiter: (() => void) | undefined;
  return {
    notify() {
      isNotified = true;
      waiter?.();
    },
    async wait(ms) {
      // A timer even for 0 ms: other tasks of the event loop must run between two steps.
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, isNotified ? 0 : Math.min(ms, 2 ** 31 - 1));
        waiter = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      waiter = undefined;
      isNotified = false;
    },
  };
}
