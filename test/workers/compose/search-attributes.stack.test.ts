import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../../workflows/search-attributes.js';
import { ensureSearchAttributes } from '../../../workers/compose/search-attributes.js';
import { registerNamespace } from '../../stack/temporal-namespace.js';

const server = { TEMPORAL_ADDRESS: process.env.TEMPORAL_ADDRESS ?? '', TEMPORAL_TLS: false };
const ours = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);

async function openOperator(namespace: string) {
  const connection = await Connection.connect({ address: server.TEMPORAL_ADDRESS });
  onTestFinished(() => connection.close());
  const { operatorService } = connection;
  return {
    names: async () => Object.keys((await operatorService.listSearchAttributes({ namespace })).customAttributes),
    add: (names: string[]) =>
      operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(names.map((name) => [name, 2])), // keyword
      }),
    remove: (searchAttributes: string[]) => operatorService.removeSearchAttributes({ namespace, searchAttributes }),
  };
}

test('a namespace gets the search attributes that it lacks, once', async () => {
  const namespace = await registerNamespace(`plain-${randomUUID()}`);
  const { names, remove } = await openOperator(namespace);
  expect(await names()).toEqual(expect.arrayContaining(ours));
  await ensureSearchAttributes({ ...server, TEMPORAL_NAMESPACE: namespace });
  await remove(ours.slice(0, 1));
  await ensureSearchAttributes({ ...server, TEMPORAL_NAMESPACE: namespace });
  expect(await names()).toEqual(expect.arrayContaining(ours));
});

test('a server that does not create them is named with the command that does', async () => {
  const namespace = await registerNamespace(`full-${randomUUID()}`);
  const { remove, add } = await openOperator(namespace);
  await remove(ours);
  // The server has room for ten of this type.
  await add(Array.from({ length: 10 }, (_, n) => `Their${n}`));
  await expect(ensureSearchAttributes({ ...server, TEMPORAL_NAMESPACE: namespace })).rejects.toThrow(
    `run: temporal operator search-attribute create --namespace ${namespace} --name ResourceKind --type Keyword`,
  );
});
