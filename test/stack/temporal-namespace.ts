import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { ensureSearchAttributes } from '../../workers/compose/search-attributes.js';

/** A namespace of its own on the test stack's server, so that the fixed queue names of tests do not meet. @returns its name */
export async function registerNamespace(namespace: string): Promise<string> {
  const address = process.env.TEMPORAL_ADDRESS ?? '';
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
  } finally {
    await connection.close();
  }
  const settings = { TEMPORAL_ADDRESS: address, TEMPORAL_TLS: false, TEMPORAL_NAMESPACE: namespace };
  for (let attempt = 0; ; attempt += 1) {
    try {
      await ensureSearchAttributes(settings);
      return namespace;
    } catch (err) {
      if (attempt >= 600) throw err;
      await sleep(100); // the server learns of a namespace with a delay
    }
  }
}
