import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import { activityInfo } from '@temporalio/activity';
import type { DrainResult } from '../../activities/notifications/drain.js';
import { notificationWorkflowId } from '../../notifications/kinds/subscription-ref.js';
import { createWake } from '../../workers/compose/notifications.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';
import { eventually, openNamespace, type TestNamespace } from './namespace.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

const NOTHING: DrainResult = { ended: false, more: false };
const ENDED: DrainResult = { ended: true, more: false };

/** A subscription whose drains come to what `turn` says, by their number from 1 on. */
async function withSubscription(
  turn: (number: number) => Promise<DrainResult> | DrainResult,
  act: (subscription: {
    wake: () => Promise<void>;
    drains: () => number;
    end: () => Promise<unknown>;
    handle: WorkflowHandle;
  }) => Promise<void>,
) {
  const id = `sub_${randomUUID()}`;
  let drains = 0;
  const wake = createWake(namespace.client);
  const drainNotices = async ({ subscriptionId }: { subscriptionId: string }): Promise<DrainResult> => {
    expect(subscriptionId).toBe(id);
    drains += 1;
    return turn(drains);
  };
  await namespace.withActivities({ drainNotices }, () =>
    act({
      wake: () => wake(id),
      drains: () => drains,
      end: () => namespace.client.workflow.getHandle(notificationWorkflowId(id)).result(),
      handle: namespace.client.workflow.getHandle(notificationWorkflowId(id)),
    }),
  );
}

test('it drains when it is woken, goes on while there is more, and ends with its subscription', () =>
  withSubscription(
    (number) => (number < 3 ? { ended: false, more: true } : number === 3 ? NOTHING : ENDED),
    async ({ wake, drains, end }) => {
      await wake();
      await eventually(() => drains() === 3);
      await wake();
      await end();
      expect(drains()).toBe(4);
    },
  ));

test('a wake that comes during a drain leads to another one', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await withSubscription(
    async (number) => {
      if (number === 1) await held;
      return number === 1 ? NOTHING : ENDED;
    },
    async ({ wake, drains, end }) => {
      await wake();
      await eventually(() => drains() === 1);
      await Promise.all([wake(), wake(), wake()]);
      release();
      await end();
      expect(drains()).toBe(2);
    },
  );
});

test('the next attempt comes when it is due, without a wake-up', () =>
  withSubscription(
    (number) => (number === 1 ? { ...NOTHING, nextDueAt: new Date(Date.now() + 1_500).toISOString() } : ENDED),
    async ({ wake, end }) => {
      const began = Date.now();
      await wake();
      await end();
      expect(Date.now() - began).toBeGreaterThanOrEqual(1_400);
    },
  ));

test('a history that has grown goes on as a new run, which drains at once though it was woken meanwhile', async () => {
  const runs = new Set<string>();
  // The server suggests it at 4 MiB.
  const long = { ended: false, more: false, filler: 'x'.repeat(500_000) };
  let wakeAgain = async (): Promise<void> => {};
  await withSubscription(
    async (number) => {
      runs.add(activityInfo().workflowExecution?.runId ?? '');
      if (runs.size === 2 || number === 20) return ENDED;
      await wakeAgain();
      return long;
    },
    async ({ wake, drains, end }) => {
      wakeAgain = wake;
      await wake();
      await end();
      expect([runs.size, drains() < 20]).toEqual([2, true]);
    },
  );
});

const drained = (health: 'active' | 'failing'): DrainResult => ({
  ...NOTHING,
  summary: { at: new Date().toISOString(), health, unsettled: 7, held: 0 },
});

test('the health is a search attribute that changes with it, and the list finds failing subscriptions', () =>
  withSubscription(
    (number) => (number <= 2 ? drained('failing') : number === 3 ? drained('active') : ENDED),
    async ({ wake, drains, end, handle }) => {
      const health = async () => (await handle.describe()).typedSearchAttributes.get(SEARCH_ATTRIBUTES.health);
      const listed = async () => {
        const query = `SlipwayHealth = 'failing' AND ExecutionStatus = 'Running'`;
        for await (const found of namespace.client.workflow.list({ query })) {
          if (found.workflowId === handle.workflowId) return true;
        }
        return false;
      };
      await wake();
      await eventually(listed);
      await wake();
      await eventually(() => drains() === 2);
      await wake();
      await eventually(async () => (await health()) === 'active');
      await wake();
      await end();
      const { events } = await handle.fetchHistory();
      const own = (events ?? []).filter(
        ({ upsertWorkflowSearchAttributesEventAttributes: set }) => set?.searchAttributes?.indexedFields?.SlipwayHealth,
      );
      expect(own).toHaveLength(2);
    },
  ));
