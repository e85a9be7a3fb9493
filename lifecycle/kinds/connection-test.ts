import { z } from 'zod';

/** Steps of a test, in their order; the first that fails is the last one. */
export const TEST_STEPS = ['reach', 'login', 'read', 'write'] as const;
export type TestStep = (typeof TEST_STEPS)[number];

export const ConnectionTest = z.object({
  id: z.string(),
  passed: z.boolean(),
  checks: z.array(
    z.object({
      step: z.enum(TEST_STEPS),
      passed: z.boolean(),
      reason: z.string().optional(),
    }),
  ),
});
export type ConnectionTest = z.infer<typeof ConnectionTest>;
