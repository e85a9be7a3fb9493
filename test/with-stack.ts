import { execFile } from 'node:child_process';
import { join } from 'node:path';

/**
 * Jest's global setup of the project `stack`: its tests find the addresses of running services in `process.env`.
 * The work is done by a process of its own, as jest loads this file in a way that cannot import ours.
 */
export default async function withStack(): Promise<void> {
  const root = process.cwd();
  const script = join(root, 'test', 'stack', 'print-test-stack.ts');
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(process.execPath, ['--import', 'tsx', script], { cwd: root }, (error, stdout) =>
      error ? reject(new Error('the stack of the tests did not start; its own words stand above')) : resolve(stdout),
    );
    child.stderr?.pipe(process.stderr);
  });
  Object.assign(process.env, JSON.parse(output));
}
