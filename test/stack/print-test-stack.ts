import { ensureChromium, startTestStack, TEST_STACK } from './test-stack.js';

try {
  const settings = await startTestStack();
  const more = TEST_STACK === 'faults' ? {} : { CHROMIUM: await ensureChromium() };
  console.log(JSON.stringify({ ...settings, ...more, TEST_STACK }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
