import { startTestStack } from './test-stack.js';

try {
  console.log(JSON.stringify(await startTestStack()));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
