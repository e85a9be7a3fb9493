import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../../workflows/search-attributes.js';
import { ensureSearchAttributes } from '../../../workers/compose/search-attributes.js';
import { registerNamespace } from '../../stack/temporal-namespace.js';

const settings = { TEMPORAL_ADDRESS: process.env.TEMPORAL_ADDRESS ?? '', TEMPORAL_TLS: false };

test('a namespace gets the search attributes that it lacks, once', async () => {
  const namespace = await registerNamespace(`plain-${randomUUID()}`);
  await ensureSearchAttributes({ ...settings, TEMPORAL_NAMESPACE: namespace });
  const connection = await Connection.connect({ address: settings.TEMPORAL_ADDRESS });
  onTestFinished(() => connection.close());
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  expect(Object.keys(customAttributes)).toEqual(
    expect.arrayContaining(Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name)),
  );
});

test('a server that does not create them names the command that does', async () => {
  const absent = ensureSearchAttributes({ ...settings, TEMPORAL_NAMESPACE: `absent-${randomUUID()}` });
  await expect(absent).rejects.toThrow(/temporal operator search-attribute create --namespace absent-\S+ --name \w+|not found/);
});
