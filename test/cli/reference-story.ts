import { afterAll } from 'vitest';
import type { DatasetImport } from '../../reference/dataset/import.js';
import { ALL_SCOPES, startTestReference, type TestReference } from '../api/reference/test-reference.js';
import { createSlipwayRunner } from './slipway.js';

/** An API of reference data for a file of tests, with command lines of an operator; both end with the file. */
export async function startReference(changes: Parameters<typeof startTestReference>[0] = {}) {
  const api = await startTestReference(changes);
  const slipway = await createSlipwayRunner({
    SLIPWAY_SERVER: api.url,
    SLIPWAY_TOKEN: await api.tokenOf(ALL_SCOPES),
  });
  afterAll(async () => {
    await api.stop();
    await slipway.remove();
  });
  /** Applies a manifest of these lines. */
  const apply = async (text: string, ...more: string[]) =>
    slipway.run(['apply', '-f', await slipway.file(text), ...more]);
  return { api, slipway, apply };
}

/** The text that was uploaded for an import. */
export async function uploadedTo(api: Pick<TestReference, 'imports'>, id: string): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of api.imports.read(id, { start: 0 })) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Ends an import as a worker does. */
export async function endImport(
  api: Pick<TestReference, 'imports'>,
  id: string,
  end: Partial<DatasetImport>,
): Promise<void> {
  await api.imports.put({ ...(await api.imports.get(id)), ended_at: '2026-02-11T00:00:01.000Z', ...end });
}
