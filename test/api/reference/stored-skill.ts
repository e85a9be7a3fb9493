import { expect } from 'vitest';
import type { TestReference } from './test-reference.js';

let last = 9_007_199_254_740_993n; // above 2^53 on purpose
export const newId = (): string => String((last += 2n));

/** A skill under an id of its own. */
export async function storeSkill(api: TestReference, body: object = { name: 'Welding' }) {
  const id = newId();
  const reply = await api.call('PUT', `/v2/skills/${id}`, { body });
  expect(reply.status).toBe(201);
  return { id, path: `/v2/skills/${id}`, etag: reply.headers.get('etag') ?? '', reply };
}
