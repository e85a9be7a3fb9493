import { Client, Connection } from '@temporalio/client';
import { isRecord } from '../../platform/kinds/lenient.js';
import type { TestPlatform } from './platform.js';

/** Every history of a platform as the server has it, with payloads as the text that they are. */
export async function storedHistories({ environment }: Pick<TestPlatform, 'environment'>): Promise<string> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = environment;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  const texts: string[] = [];
  for (const workflowId of await workflowIds(client)) {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    for (const event of events ?? []) texts.push(JSON.stringify(event, (_, value) => readable(value)));
  }
  await connection.close();
  return texts.join('\n');
}

/** Lists without decoding: `client.workflow.list` decodes memos, which only a client with the keys can. */
async function workflowIds({ workflowService, options: { namespace } }: Client): Promise<string[]> {
  const ids: string[] = [];
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const page = await workflowService.listWorkflowExecutions({ namespace, nextPageToken });
    ids.push(...page.executions.map(({ execution }) => execution?.workflowId ?? ''));
    ({ nextPageToken } = page);
  } while (nextPageToken.length > 0);
  return ids;
}

/** A payload as text: its bytes come as Base64. */
export function readable(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value.metadata) || typeof value.metadata.encoding !== 'string') return value;
  return `${plain(value.metadata.encoding)} ${plain(typeof value.data === 'string' ? value.data : '')}`;
}

const plain = (text: string): string => Buffer.from(text, 'base64').toString('latin1');
