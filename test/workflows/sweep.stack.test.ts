import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Swept } from '../../activities/shared/sweep.js';
import { openNamespace, type TestNamespace } from './namespace.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const start = () => ({ workflowId: `sweep-${Math.random()}`, taskQueue: 'control' });

test('a sweep tells what it had to repair, after an outage too', async () => {
  const swept: Swept = { started: 2, canceled: 1, removed: 0 };
  let attempts = 0;
  const sweep = async (): Promise<Swept> => {
    attempts += 1;
    if (attempts === 1) throw new Error('the database is away');
    return swept;
  };
  await namespace.withActivities({ sweep }, async () => {
    expect(await namespace.client.workflow.execute('sweep', start())).toEqual(swept);
  });
  expect(attempts).toBe(2);
});
