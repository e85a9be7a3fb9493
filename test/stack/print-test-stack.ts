import { ensureChromium, startTestStack } from './test-stack.js';

try {
  const settings = await startTestStack();
  console.log(JSON.stringify({ ...settings, CHROMIUM: await ensureChromium() }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
