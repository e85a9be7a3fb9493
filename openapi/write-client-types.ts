import { writeFile } from 'node:fs/promises';
import { createClientTypes } from './client-types.js';
import { createPythonClient } from './python-client.js';

await writeFile(new URL('../client/openapi.ts', import.meta.url), await createClientTypes());
await writeFile(new URL('../clients/python/slipway_client/operations.py', import.meta.url), createPythonClient());
