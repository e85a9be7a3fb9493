export interface CheckpointSaverOptions {
  /** Returns the position of the state that would be saved. */
  position: () => number;
  /** Whether the state may be saved now. */
  canSave: () => boolean;
  write: () => Promise<void>;
  checkpointMs: number;
  onError: (err: unknown) => void;
}

const RETRY_MS = 1_000;

/** Saves checkpoints at intervals. */
export function createCheckpointSaver({ position, canSave, write, checkpointMs, onError }: CheckpointSaverOptions) {
  let [savedAt, savedPosition, retryAt] = [performance.now(), 0, -Infinity];
  /** A watch was initialized that no checkpoint holds: without one, the next evaluator would initialize it later. */
  let isDirty = false;

  async function save(): Promise<void> {
    const at = position();
    if (!canSave() || (at === savedPosition && !isDirty)) return;
    await write();
    [savedAt, savedPosition, isDirty] = [performance.now(), at, false];
  }

  return {
    save,
    /** Saves when it is time. A failure is only reported: evaluation continues while the object storage is away. */
    async saveWhenDue(): Promise<void> {
      const at = performance.now();
      if (at < retryAt || (!isDirty && at - savedAt < checkpointMs)) return;
      await save().catch((err: unknown) => {
        retryAt = at + RETRY_MS;
        onError(err);
      });
    },
    markDirty: (): void => void (isDirty = true),
    resumeAt: (position: number): void => void (savedPosition = position),
  };
}
