import { Client, Connection } from '@temporalio/client';
import type { TestPlatform } from './platform.js';

/** Every history of a platform as the server has it, with payloads as the text that they are. */
export async function storedHistories({ environment }: Pick<TestPlatform, 'environment'>): Promise<string> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = environment;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  const texts: string[] = [];
  for await (const { workflowId } of client.workflow.list()) {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    for (const event of events ?? []) texts.push(JSON.stringify(event, (_, value) => readable(value)));
  }
  await connection.close();
  return texts.join('\n');
}

/** Bytes as text. */
export function readable(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  const isBuffer = typeof value === 'object' && value !== null && 'data' in value && 'type' in value;
  return isBuffer && value.type === 'Buffer' ? Buffer.from(value.data as number[]).toString('latin1') : value;
}
