import { join } from 'node:path';
import { execa } from 'execa';
import { type CloudServer, startServer } from './server.js';

/** A server that speaks the interfaces of Amazon, S3 and ECR among them. */
export async function startMoto(): Promise<CloudServer> {
  const here = import.meta.dirname;
  const { stdout: venv } = await execa('sh', [join(here, '../../runtime/venv.sh'), join(here, 'requirements.txt')]);
  return startServer(join(venv, 'bin/moto_server'), (port) => ['-H', '127.0.0.1', '-p', String(port)]);
}

export const KEYS = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret-of-the-tests' };
