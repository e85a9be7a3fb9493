import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createPythonClient } from '../../openapi/python-client.js';

test('the operations of the Python client are those of the documents: npm run client:types writes them', async () => {
  expect(await readFile('clients/python/slipway_client/operations.py', 'utf8')).toBe(createPythonClient());
});
