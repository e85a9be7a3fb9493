import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importWorkflowId } from '../../reference/dataset/import.js';
import { createImportRuns } from '../../workers/compose/import-runs.js';
import { type Calls, giveUp, goOn, IMPORT, noting } from './fakes.js';
import { eventually, openNamespace, type TestNamespace } from './namespace.js';

let namespace: TestNamespace;
beforeAll(async () => {
  namespace = await openNamespace();
});
afterAll(() => namespace.close());

async function withRun(
  changes: Partial<typeof IMPORT>,
  act: (run: { id: string; calls: Calls; result: () => Promise<unknown> }) => Promise<void>,
) {
  const calls: Calls = [];
  const id = `imp_${randomUUID()}`;
  const result = () => namespace.client.workflow.getHandle(importWorkflowId(id)).result();
  await namespace.withActivities(noting(calls, { ...IMPORT, ...changes }), () => act({ id, calls, result }));
}
const statusOf = async (id: string) =>
  (await namespace.client.workflow.getHandle(importWorkflowId(id)).describe()).status.name;

test('an import does its steps in order, once, however often it is started', () =>
  withRun({}, async ({ id, calls, result }) => {
    const runs = createImportRuns(namespace);
    await runs.start({ id, actor: 'test' });
    await runs.start({ id, actor: 'test' });
    await result();
    expect(calls).toEqual(['beginImport', 'importRows', 'removeAbsent', 'finishImport']);
    await runs.cancel(id); // it has ended
  }));

test('what is not to be replaced is not deleted', () =>
  withRun({ beginImport: async () => ({ replaces: false }) }, async ({ id, calls, result }) => {
    await createImportRuns(namespace).start({ id, actor: 'test' });
    await result();
    expect(calls).toEqual(['beginImport', 'importRows', 'finishImport']);
  }));

test.each(['beginImport', 'importRows', 'removeAbsent', 'finishImport'] as const)(
  'an import whose %s gives up is recorded with its sentence',
  async (step) => {
    const failures: unknown[] = [];
    const failImport: typeof IMPORT.failImport = async (given) => void failures.push(given);
    const changes = { [step]: giveUp('DataCopyFailed', 'line 7, is required'), failImport };
    await withRun(changes, async ({ id, calls, result }) => {
      await createImportRuns(namespace).start({ id, actor: 'test' });
      await expect(result()).rejects.toThrow();
      expect(calls.at(-1)).toBe('failImport');
      expect(failures).toEqual([{ importId: id, state: 'failed', message: 'line 7, is required' }]);
      expect(await statusOf(id)).toBe('FAILED');
    });
  },
);

test('a canceled import stops its rows, and that is recorded', async () => {
  const failures: unknown[] = [];
  const failImport: typeof IMPORT.failImport = async ({ state }) => void failures.push(state);
  await withRun({ importRows: goOn, failImport }, async ({ id, calls, result }) => {
    const runs = createImportRuns(namespace);
    await runs.start({ id, actor: 'test' });
    await eventually(() => calls.includes('importRows'));
    await runs.cancel(id);
    await expect(result()).rejects.toThrow();
    expect(await statusOf(id)).toBe('CANCELLED');
    expect(failures).toEqual(['canceled']);
  });
});
