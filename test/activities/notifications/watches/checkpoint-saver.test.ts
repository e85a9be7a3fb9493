import { expect, test } from 'vitest';
import { createCheckpointSaver } from '../../../../activities/notifications/watches/checkpoint-saver.js';

function open({ canSave = true, fails = false } = {}) {
  let position = 0;
  let written = 0;
  const errors: unknown[] = [];
  const saver = createCheckpointSaver({
    position: () => position,
    canSave: () => canSave,
    write: async () => {
      if (fails) throw new Error('away');
      written += 1;
    },
    checkpointMs: Infinity,
    onError: (err) => void errors.push(err),
  });
  return { saver, errors, written: () => written, moveTo: (to: number) => void (position = to) };
}

test('a state is saved once per position, and again when a watch was initialized', async () => {
  const { saver, written, moveTo } = open();
  await saver.save();
  expect(written()).toBe(0);
  moveTo(3);
  await saver.save();
  await saver.save();
  expect(written()).toBe(1);
  saver.markDirty();
  await saver.saveWhenDue();
  await saver.saveWhenDue();
  expect(written()).toBe(2);
});

test('nothing is saved while the state must not be saved', async () => {
  const { saver, written, moveTo } = open({ canSave: false });
  moveTo(3);
  await saver.save();
  expect(written()).toBe(0);
});

test('a failed save is reported, and repeated only after a pause', async () => {
  const { saver, errors } = open({ fails: true });
  saver.markDirty();
  await saver.saveWhenDue();
  await saver.saveWhenDue();
  expect(errors).toHaveLength(1);
});
