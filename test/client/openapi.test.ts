import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { execa } from 'execa';

// In a process of its own, as the generator is a CommonJS program that changes global state.
test('the types of the client are those of the OpenAPI document; else run `npm run client:types`', async () => {
  const script =
    "import { createClientTypes } from './openapi/client-types.ts'; process.stdout.write(await createClientTypes());";
  const { stdout } = await execa(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    env: { NODE_OPTIONS: '' },
    stripFinalNewline: false,
  });
  expect(stdout).toBe(await readFile('client/openapi.ts', 'utf8'));
});
