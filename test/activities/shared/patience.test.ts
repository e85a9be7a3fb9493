import { expect, test } from 'vitest';
import { messageOf, withPatience } from '../../../activities/shared/patience.js';
import type { Training } from '../../../lifecycle/kinds/training.js';
import { createResources } from '../../../notifications/stores/resources.js';
import { SlipwayError } from '../../../platform/kinds/errors.js';
import { outsideFailed } from '../../../platform/kinds/outside-failure.js';
import { failureIn } from '../../../platform/kinds/reasons.js';
import { createMemoryDatabase } from '../../../platform/stores/memory-database.js';
import { newAttempt } from './environment.js';
import { newTraining } from './resources.js';

const refused = 'dial tcp 10.1.2.3:5000: connect: connection refused';
const away = outsideFailed({
  party: 'the image registry',
  said: refused,
  fault: 'it cannot be reached',
  reason: 'PushFailed',
});

/** One attempt of a step that has ten. */
async function startScene({ attempt = 1 } = {}) {
  const store = createResources<Training>({ database: createMemoryDatabase(), kind: 'ModelTraining' });
  const { uid, generation } = await store.insert(newTraining('wine'));
  const ref = { id: 'wine', uid, generation };
  const info = { attempt, retryPolicy: { maximumAttempts: 10 } };
  const run = (work: () => Promise<string>): Promise<unknown> =>
    newAttempt(info)
      .run(() => withPatience(messageOf(store, ref), work))
      .catch((err: unknown) => err);
  return { store, run, message: async () => (await store.get('wine'))?.status.message };
}
const fail = (err: Error) => () => Promise.reject(err);

test('the status says what is waited for and until when, and the step may be repeated', async () => {
  const { run, message } = await startScene({ attempt: 4 });
  expect(await run(fail(away))).toBe(away);
  const said = await message();
  expect(said).toMatch(/^waiting: the image registry cannot be used for now: it cannot be reached; /);
  // Six attempts are left, a minute apart.
  const minutes = (Date.parse(/until (.*)$/.exec(said ?? '')?.[1] ?? '') - Date.now()) / 60_000;
  expect(Math.round(minutes)).toBe(6);
});

test('the step that gets through takes the sentence away', async () => {
  const { run, message } = await startScene({ attempt: 2 });
  await run(fail(away));
  expect(await run(async () => 'pushed')).toBe('pushed');
  expect(await message()).toBeUndefined();
});

test('after the last attempt the run fails with the reason of what it waited for', async () => {
  const { run, message } = await startScene({ attempt: 10 });
  expect(failureIn(await run(fail(away)))).toMatchObject({
    reason: 'PushFailed',
    message: 'the image registry cannot be used for now: it cannot be reached',
  });
  expect(await message()).toBeUndefined();
});

test.each([new SlipwayError('unavailable', 'the database is away'), new Error('a bug')])(
  'another failure is left as it is: %s',
  async (err) => {
    const { run, message } = await startScene({ attempt: 10 });
    expect(await run(fail(err))).toBe(err);
    expect(await message()).toBeUndefined();
  },
);

test('a run that is not the current one any more ends', async () => {
  const { store, run } = await startScene();
  await store.remove('wine');
  expect(await run(fail(away))).toMatchObject({ code: 'not_found', retryable: false });
});
