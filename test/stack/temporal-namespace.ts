import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.js';

/** A namespace of its own on the test stack's server, so that the fixed queue names of tests do not meet. @returns its name */
export async function registerNamespace(namespace: string): Promise<string> {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    const KEYWORD = 2;
    const searchAttributes = Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map(({ name }) => [name, KEYWORD]));
    for (let attempt = 0; ; attempt += 1) {
      try {
        await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
        return namespace;
      } catch (err) {
        if (attempt >= 600) throw err;
        await sleep(100); // the server learns of a namespace with a delay
      }
    }
  } finally {
    await connection.close();
  }
}
