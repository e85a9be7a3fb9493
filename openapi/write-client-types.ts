import { writeFile } from 'node:fs/promises';
import { createClientTypes } from './client-types.js';

await writeFile(new URL('../client/openapi.ts', import.meta.url), await createClientTypes());
