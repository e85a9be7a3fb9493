import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { withOwnSignal } from '../../platform/kinds/own-signal.js';
import { collectGarbage } from '../collect-garbage.js';

test('the signal of the work leaves nothing behind in the parent', async () => {
  const { signal: parent } = new AbortController();
  for (let turn = 0; turn < 100; turn += 1) {
    await withOwnSignal({ parent, limitMs: 60_000 }, async (own) => {
      expect(getEventListeners(parent, 'abort')).toHaveLength(1);
      expect(own.aborted).toBe(false);
    });
  }
  expect(getEventListeners(parent, 'abort')).toHaveLength(0);
});

test('work that fails leaves nothing behind either', async () => {
  const { signal: parent } = new AbortController();
  const work = () => Promise.reject(new Error('refused'));
  await expect(withOwnSignal({ parent, limitMs: 60_000 }, work)).rejects.toThrow('refused');
  expect(getEventListeners(parent, 'abort')).toHaveLength(0);
});

test.each([
  ['before the work', true],
  ['during the work', false],
])('an abort of the parent %s aborts it with the same reason', async (_, isBefore) => {
  const parent = new AbortController();
  const reason = new Error('stopped');
  if (isBefore) parent.abort(reason);
  await withOwnSignal({ parent: parent.signal, limitMs: 60_000 }, async (own) => {
    parent.abort(reason);
    expect(own.reason).toBe(reason);
  });
});

test('a parent is optional', async () => {
  await withOwnSignal({ parent: undefined, limitMs: 60_000 }, async (own) => expect(own.aborted).toBe(false));
});

test('the limit aborts it as a timeout', async () => {
  const { signal: parent } = new AbortController();
  const ended = withOwnSignal({ parent, limitMs: 50 }, (own) => {
    return new Promise((_, reject) => own.addEventListener('abort', () => reject(own.reason as Error)));
  });
  collectGarbage();
  await expect(ended).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(parent.aborted).toBe(false);
});
