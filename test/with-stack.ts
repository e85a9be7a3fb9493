import { execFile } from 'node:child_process';
import { join } from 'node:path';

/**
 * Jest's global setup of the projects `stack` and `faults`: their tests find the addresses of running services in
 * `process.env`. Tests that kill services have a stack of their own, so they run beside the others.
 * A separate process does the work, as jest loads this file in a way that cannot import other sources of the project.
 */
export default async function withStack(
  _global: unknown,
  { displayName }: { displayName?: { name: string } },
): Promise<void> {
  const root = process.cwd();
  const script = join(root, 'test', 'stack', 'print-test-stack.ts');
  const env = { ...process.env, TEST_STACK: displayName?.name === 'faults' ? 'faults' : 'shared' };
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(process.execPath, ['--import', 'tsx', script], { cwd: root, env }, (error, stdout) =>
      error ? reject(new Error('the stack of the tests did not start; the reason is above')) : resolve(stdout),
    );
    child.stderr?.pipe(process.stderr);
  });
  Object.assign(process.env, JSON.parse(output));
}
