import type { TestProject } from 'vitest/node';

/**
 * Starts the stack of the projects `stack` and `faults`, whose tests find the addresses of its services in `process.env`.
 * Tests that kill services have a stack of their own, so they can run beside the others.
 */
export default async function withStack({ name }: TestProject): Promise<void> {
  // Set before the import: the module reads at its start which stack it is about.
  process.env.TEST_STACK ??= name === 'faults' ? 'faults' : 'shared';
  const { ensureChromium, startTestStack, TEST_STACK } = await import('./stack/test-stack.js');
  const browser = TEST_STACK === 'faults' ? {} : { CHROMIUM: await ensureChromium() };
  Object.assign(process.env, await startTestStack(), browser);
}
